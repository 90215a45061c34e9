// What device code may call: shared memory, warps, atomics and the small arithmetic intrinsics.
#pragma once

#include <math.h>

#include <type_traits>

#include "abi.h"

constexpr int warpSize = 32;

namespace simt {

template <class T, int Id>
inline __attribute__((always_inline)) T& shared(const char* name, int line) {
  // Words in a row, where the array has rows.
  constexpr size_t columns = std::rank_v<T> > 1 ? sizeof(std::remove_extent_t<T>) / 4 : 0;
  return *static_cast<T*>(simt_shared(Id, sizeof(T), name, line, columns));
}

template <class T>
inline __attribute__((always_inline)) T* dynamic_shared(const char* name) {
  return static_cast<T*>(simt_dynamic_shared(name));
}

// Tells the runner which iteration of a loop a thread is in, so that one warp's accesses can be
// matched although some of its lanes skip them. Only in loops that lanes may leave or skip in.
#if SIMT_WATCH
class Loop {
 public:
  explicit Loop(int id) : id_(id) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() { simt_mark_end(id_); }
  void next() { simt_mark(id_, iteration_++); }

 private:
  int id_;
  unsigned iteration_ = 0;
};
#endif

template <class To, class From>
inline To bits(From from) {
  To to{};
  __builtin_memcpy(&to, &from, sizeof from < sizeof to ? sizeof from : sizeof to);
  return to;
}

template <class T>
inline T from_lane(unsigned mask, T value, unsigned source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  simt_exchange(mask, bits<uint64_t>(value));
  return bits<T>(simt_brought(source & 31u));
}

}  // namespace simt

// ---- warps -------------------------------------------------------------------------------------

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = simt_lane(), first = lane & ~unsigned(width - 1);
  return simt::from_lane(mask, value, first + (unsigned(source) & unsigned(width - 1)));
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = simt_lane(), in = lane & unsigned(width - 1);
  return simt::from_lane(mask, value, in < delta ? lane : lane - delta);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = simt_lane(), in = lane & unsigned(width - 1);
  return simt::from_lane(mask, value, in + delta >= unsigned(width) ? lane : lane + delta);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const unsigned lane = simt_lane(), other = lane ^ unsigned(bits);
  const bool inside = other / unsigned(width) <= lane / unsigned(width);
  return simt::from_lane(mask, value, inside ? other : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  simt_exchange(mask, predicate != 0);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1u) result |= unsigned(simt_brought(lane)) << lane;
  }
  return result & simt_live_mask();
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline unsigned __activemask() { return simt_live_mask(); }

#define SIMT_REDUCE(Name, T, Combine)                                       \
  inline T Name(unsigned mask, T value) {                                   \
    simt_exchange(mask, simt::bits<uint64_t>(value));                       \
    T result = value;                                                       \
    const unsigned self = simt_lane(), present = mask & simt_live_mask();   \
    for (unsigned lane = 0; lane < 32; ++lane) {                            \
      if (lane == self || !(present >> lane & 1u)) continue;                \
      const T other = simt::bits<T>(simt_brought(lane));                    \
      result = Combine;                                                     \
    }                                                                       \
    return result;                                                          \
  }
SIMT_REDUCE(__reduce_add_sync, unsigned, result + other)
SIMT_REDUCE(__reduce_add_sync, int, result + other)
SIMT_REDUCE(__reduce_max_sync, unsigned, result > other ? result : other)
SIMT_REDUCE(__reduce_max_sync, int, result > other ? result : other)
SIMT_REDUCE(__reduce_min_sync, unsigned, result < other ? result : other)
SIMT_REDUCE(__reduce_min_sync, int, result < other ? result : other)
#undef SIMT_REDUCE

// ---- atomics (the runner has the bodies) -------------------------------------------------------

#define SIMT_ATOMICS(Op)                                               \
  Op(int) Op(unsigned) Op(unsigned long long) Op(float) Op(double)
#define SIMT_INTEGER_ATOMICS(Op) Op(int) Op(unsigned) Op(unsigned long long)
#define SIMT_DECLARE(T)          \
  T atomicAdd(T* address, T value); \
  T atomicExch(T* address, T value);
SIMT_ATOMICS(SIMT_DECLARE)
#undef SIMT_DECLARE
#define SIMT_DECLARE(T)             \
  T atomicSub(T* address, T value); \
  T atomicMin(T* address, T value); \
  T atomicMax(T* address, T value); \
  T atomicAnd(T* address, T value); \
  T atomicOr(T* address, T value);  \
  T atomicXor(T* address, T value); \
  T atomicCAS(T* address, T compare, T value);
SIMT_INTEGER_ATOMICS(SIMT_DECLARE)
#undef SIMT_DECLARE

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned) {}
inline long long clock64() { return 0; }

// ---- arithmetic --------------------------------------------------------------------------------

#define __ldg(address) (*(address))
#define __ldca(address) (*(address))
#define __ldcg(address) (*(address))
#define __ldcs(address) (*(address))

template <class A, class B>
constexpr auto min(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B>
constexpr auto max(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return T(a) < T(b) ? T(b) : T(a);
}
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return expf(a); }
inline float __logf(float a) { return logf(a); }
inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
inline float __saturatef(float a) { return a < 0 ? 0.0f : a > 1 ? 1.0f : a; }
inline int __mul24(int a, int b) { return a * b; }
inline unsigned __umul24(unsigned a, unsigned b) { return a * b; }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __clz(int a) { return a ? __builtin_clz(unsigned(a)) : 32; }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __float_as_int(float a) { return simt::bits<int>(a); }
inline unsigned __float_as_uint(float a) { return simt::bits<unsigned>(a); }
inline float __int_as_float(int a) { return simt::bits<float>(a); }
inline float __uint_as_float(unsigned a) { return simt::bits<float>(a); }
inline float __int2float_rn(int a) { return float(a); }
inline int __float2int_rz(float a) { return int(a); }
