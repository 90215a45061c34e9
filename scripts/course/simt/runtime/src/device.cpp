// What kernels call: barriers, warps, shared memory, atomics, assert.
#include "../include/simt/device.h"

#include <cstring>

#include "worker.h"

using namespace simt;

namespace {

u32 called_from(const void* address) {
  return u32(reinterpret_cast<uintptr_t>(address) - hot.worker->task->text);
}

void barrier(const void* from, u64 vote) {
  if (hot.worker) hot.worker->wait(State::kBarrier, called_from(from), 0, vote);
}

void stop_here(Fault fault, const void* from, u64 number) {
  if (!hot.worker || !hot.worker->lane) abort();
  Worker& w = *hot.worker;
  Seen seen = w.here(fault, called_from(from) << 5);
  seen.number = number;
  w.faults.add(seen);
  w.give_up();
}

void touch_atomic(const void* address, const void* from, u32 log2_bytes) {
  if (hot.worker) touch(address, called_from(from) << 5 | site_code(kAtomic, log2_bytes));
}

// Changes a value by a loop of compare and exchange, which works for every type.
template <class T, class F>
T change(T* address, F next) {
  T before;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  for (;;) {
    T after = next(before);
    if (__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_RELAXED)) {
      return before;
    }
  }
}

}  // namespace

#define FROM __builtin_return_address(0)

extern "C" {

void __syncthreads() { barrier(FROM, 0); }
int __syncthreads_count(int predicate) {
  barrier(FROM, predicate != 0);
  return hot.worker->vote_count;
}
int __syncthreads_and(int predicate) {
  barrier(FROM, predicate != 0);
  return hot.worker->vote_count == hot.worker->voters;
}
int __syncthreads_or(int predicate) {
  barrier(FROM, predicate != 0);
  return hot.worker->vote_count != 0;
}
void __syncwarp(unsigned mask) {
  if (hot.worker) hot.worker->wait(State::kWarpWait, called_from(FROM), mask, 0);
}
void simt_exchange(unsigned mask, uint64_t value) {
  hot.worker->wait(State::kWarpWait, called_from(FROM), mask, value);
}
uint64_t simt_brought(unsigned lane) {
  const Worker& w = *hot.worker;
  return w.exchanged[w.lane->thread / kWarp][lane];
}
unsigned simt_lane() { return hot.worker->lane->thread % kWarp; }
unsigned simt_live_mask() { return hot.worker->live_mask(); }

void* simt_shared(int id, size_t bytes, const char* name, int line, size_t columns) {
  return hot.worker->shared_array(id, bytes, name, line, columns);
}
void* simt_dynamic_shared(const char* name) { return hot.worker->dynamic_array(name); }

void __trap() {
  stop_here(Fault::kTrap, FROM, 0);
  abort();
}
void __assert_fail(const char* text, const char* file, unsigned line, const char*) {
  if (!hot.worker) fprintf(stderr, "%s:%u: assertion `%s` failed\n", file, line, text);
  stop_here(Fault::kAssert, FROM, line);
  abort();
}

}  // extern "C"

#define ATOMIC(Name, T, Next)                                   \
  T Name(T* address, T value) {                                 \
    touch_atomic(address, FROM, sizeof(T) == 8 ? 3 : 2);        \
    return change(address, [value](T old) -> T { return Next; }); \
  }
#define ANY(T) ATOMIC(atomicAdd, T, old + value) ATOMIC(atomicExch, T, (void(old), value))
#define INTEGER(T)                                                              \
  ATOMIC(atomicSub, T, old - value)                                             \
  ATOMIC(atomicMin, T, old < value ? old : value)                               \
  ATOMIC(atomicMax, T, old > value ? old : value)                               \
  ATOMIC(atomicAnd, T, old & value)                                             \
  ATOMIC(atomicOr, T, old | value)                                              \
  ATOMIC(atomicXor, T, old ^ value)                                             \
  T atomicCAS(T* address, T compare, T value) {                                 \
    touch_atomic(address, FROM, sizeof(T) == 8 ? 3 : 2);                        \
    return change(address, [=](T old) { return old == compare ? value : old; }); \
  }

SIMT_ATOMICS(ANY)
SIMT_INTEGER_ATOMICS(INTEGER)

// The instrumentation turns the compiler's own atomics into calls as well.
#define TSAN_FETCH(Bits, T, Log2, Op, Next)                                       \
  extern "C" T __tsan_atomic##Bits##_fetch_##Op(volatile T* p, T value, int) {    \
    touch_atomic(const_cast<T*>(p), FROM, Log2);                                  \
    return change(const_cast<T*>(p), [value](T old) -> T { return T(Next); });    \
  }
#define TSAN(Bits, T, Log2)                                                               \
  extern "C" T __tsan_atomic##Bits##_load(const volatile T* p, int) {                     \
    touch_atomic(const_cast<const T*>(p), FROM, Log2);                                    \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                          \
  }                                                                                       \
  extern "C" void __tsan_atomic##Bits##_store(volatile T* p, T value, int) {              \
    touch_atomic(const_cast<T*>(p), FROM, Log2);                                          \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                       \
  extern "C" T __tsan_atomic##Bits##_exchange(volatile T* p, T value, int) {              \
    touch_atomic(const_cast<T*>(p), FROM, Log2);                                          \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                               \
  }                                                                                       \
  extern "C" int __tsan_atomic##Bits##_compare_exchange_strong(volatile T* p, T* expected, T value, \
                                                               int, int) {                \
    touch_atomic(const_cast<T*>(p), FROM, Log2);                                          \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,       \
                                       __ATOMIC_SEQ_CST);                                 \
  }                                                                                       \
  extern "C" int __tsan_atomic##Bits##_compare_exchange_weak(volatile T* p, T* expected, T value, \
                                                             int, int) {                  \
    touch_atomic(const_cast<T*>(p), FROM, Log2);                                          \
    return __atomic_compare_exchange_n(p, expected, value, true, __ATOMIC_SEQ_CST,        \
                                       __ATOMIC_SEQ_CST);                                 \
  }                                                                                       \
  TSAN_FETCH(Bits, T, Log2, add, old + value)                                             \
  TSAN_FETCH(Bits, T, Log2, sub, old - value)                                             \
  TSAN_FETCH(Bits, T, Log2, and, old & value)                                             \
  TSAN_FETCH(Bits, T, Log2, or, old | value)                                              \
  TSAN_FETCH(Bits, T, Log2, xor, old ^ value)                                             \
  TSAN_FETCH(Bits, T, Log2, nand, ~(old & value))

TSAN(8, uint8_t, 0)
TSAN(16, uint16_t, 1)
TSAN(32, uint32_t, 2)
TSAN(64, uint64_t, 3)
extern "C" void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
extern "C" void __tsan_atomic_signal_fence(int) {}
