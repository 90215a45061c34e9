// Kernels as data: how the runner calls one, and what a launch in host code turns into.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "abi.h"
#include "host.h"

namespace simt {

template <class T>
constexpr Param param() {
  using V = std::remove_cv_t<T>;
  if (std::is_same_v<V, const float*>) return Param::kConstFloats;
  if (std::is_same_v<V, float*>) return Param::kFloats;
  if (std::is_same_v<V, float>) return Param::kFloat;
  if (std::is_integral_v<V> && sizeof(V) == 4) return Param::kInt32;
  if (std::is_integral_v<V> && sizeof(V) == 8) return Param::kInt64;
  return Param::kOther;
}

template <auto Function>
struct Describe;

template <class... P, void (*Function)(P...)>
struct Describe<Function> {
  static constexpr Param kParams[] = {param<P>()..., Param::kOther};
  template <size_t... I>
  __attribute__((no_sanitize("thread"))) static void spread(void** arguments, std::index_sequence<I...>) {
    Function(*static_cast<std::remove_reference_t<P>*>(arguments[I])...);
  }
  static void call(void** arguments) { spread(arguments, std::index_sequence_for<P...>{}); }
  static constexpr Kernel kKernel = {int(sizeof...(P)), kParams, call};
};

struct Config {
  dim3 grid, block;
  size_t shared_bytes;
};

inline Config config(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t = nullptr) {
  return {grid, block, shared_bytes};
}

inline void print(char*& at, const char* end, double value) {
  at += snprintf(at, size_t(end - at), "%.9g,", value);
}
template <class T>
inline void print_argument(char*& at, const char* end, const T& value) {
  if (end - at < 40) return;
  if constexpr (std::is_arithmetic_v<T>) {
    print(at, end, double(value));
  } else {
    at += snprintf(at, size_t(end - at), "*,");
  }
}

template <class Call, class... A>
void launch(const char* name, int line, Call call, const Config& config, A... arguments) {
  char printed[512] = "";
  char* at = printed;
  (print_argument(at, printed + sizeof printed, arguments), ...);
  auto context = std::tie(call, arguments...);
  using Context = decltype(context);
  const auto run = [](void* opaque) {
    std::apply([](auto& function, auto&... rest) { function(rest...); },
               *static_cast<Context*>(opaque));
  };
  const Launch launch = {name,    line, config.grid, config.block, config.shared_bytes,
                         printed, run,  &context};
  simt_launch(&launch);
}

}  // namespace simt
