#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace simt {

Stacks::Stacks(size_t count) : count_(count) {
  const size_t bytes = count * (kBytes + kGuard) + kGuard;
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) abort();
  base_ = static_cast<char*>(map);
  for (size_t i = 0; i <= count; ++i) {
    mprotect(base_ + i * (kBytes + kGuard), kGuard, PROT_NONE);
  }
}

Stacks::~Stacks() { munmap(base_, count_ * (kBytes + kGuard) + kGuard); }

bool Stacks::in_guard(const void* address) const {
  const size_t at = size_t(static_cast<const char*>(address) - base_);
  return at < count_ * (kBytes + kGuard) + kGuard && at % (kBytes + kGuard) < kGuard;
}

}  // namespace simt

// The callee-saved registers are all that a call may rely on; they wait on the fiber's stack.
#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)

asm(R"(
.text
.globl simt_fiber_switch
.type simt_fiber_switch, @function
simt_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_fiber_switch, .-simt_fiber_switch
)");

void* simt::fiber_prepare(void* top, Entry entry) {
  auto* slot = reinterpret_cast<uintptr_t*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
  *--slot = 0;  // where `entry` would return to; also aligns the stack as a call does
  *--slot = reinterpret_cast<uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) *--slot = 0;
  return slot;
}

#elif defined(__aarch64__) && !defined(SIMT_UCONTEXT)

asm(R"(
.text
.globl simt_fiber_switch
.type simt_fiber_switch, %function
simt_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size simt_fiber_switch, .-simt_fiber_switch
)");

void* simt::fiber_prepare(void* top, Entry entry) {
  auto* slot = reinterpret_cast<uintptr_t*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
  slot -= 20;
  memset(slot, 0, 160);
  slot[11] = reinterpret_cast<uintptr_t>(entry);  // x30
  return slot;
}

#else  // any other machine: slower, for each switch asks the kernel for the signal mask

#include <ucontext.h>

#include <new>

extern "C" void simt_fiber_switch(void** from, void* to) {
  ucontext_t self;
  *from = &self;
  swapcontext(&self, static_cast<ucontext_t*>(to));
}

void* simt::fiber_prepare(void* top, Entry entry) {
  const size_t room = (sizeof(ucontext_t) + 63) & ~size_t{63};
  char* place = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(top) - room) & ~uintptr_t{63});
  auto* context = new (place) ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = place - (Stacks::kBytes / 2);
  context->uc_stack.ss_size = Stacks::kBytes / 2;
  makecontext(context, entry, 0);
  return context;
}

#endif
