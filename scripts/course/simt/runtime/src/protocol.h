// How the runner talks: requests on standard input, results on a descriptor of their own. Each
// result begins with a token that only the parent knows, so no printing can pass for one.
#pragma once

#include <string>

#include "../include/simt/abi.h"
#include "gemm.h"
#include "pool.h"

namespace simt {

struct Request {
  u32 id = 0;
  Gemm gemm{};
  Task task;
};

struct Module {
  void* handle = nullptr;
  uintptr_t base = 0, low = 0, high = 0;
  const Kernel* kernel = nullptr;
};

class Channel {
 public:
  static Channel& get();
  void open(int descriptor, const std::string& token);
  void send(const std::string& json);
  [[noreturn]] void fail(const std::string& kind, const std::string& message);

 private:
  int descriptor_ = -1;
  std::string token_;
};

std::string quoted(const std::string& text);
// False if the kernel did not come to its end in time.
bool check_case(const Module& module, Request& request, const std::string& names);
void run_own_launch(const Launch& launch);
void note_entered(const char* kernel);

}  // namespace simt
