// A thread of a block is a fiber: a stack and a place to go on from.
#pragma once

#include <cstddef>

namespace simt {

using Entry = void (*)();

// Prepares a stack that ends at `top` to start at `entry` when first switched to.
// Returns what fiber_switch takes as `to`.
void* fiber_prepare(void* top, Entry entry);

// Saves the caller in `*from` and goes on where `to` was saved.
extern "C" void simt_fiber_switch(void** from, void* to);

// A pool of stacks, each with a page below it that no access survives.
class Stacks {
 public:
  static constexpr size_t kBytes = 64 * 1024;
  explicit Stacks(size_t count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  char* low(size_t i) const { return base_ + i * (kBytes + kGuard) + kGuard; }
  char* high(size_t i) const { return low(i) + kBytes; }
  bool in_guard(const void* address) const;

 private:
  static constexpr size_t kGuard = 16 * 1024;
  char* base_;
  size_t count_;
};

}  // namespace simt
