// What a compiled .cu file and the runner agree on: the names that cross between them.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

namespace simt {

enum class Param : int { kConstFloats, kFloats, kInt32, kInt64, kFloat, kOther };

// A kernel as the runner calls it: its parameters' kinds, and how to call it on one thread.
struct Kernel {
  int count;
  const Param* params;
  void (*call)(void** arguments);
};

// A launch written in the file's own host code.
struct Launch {
  const char* name;
  int line;
  dim3 grid, block;
  size_t shared_bytes;
  const char* arguments;  // printed values, comma separated
  void (*call)(void*);
  void* context;
};

}  // namespace simt

// The runner defines these; initial-exec because it is the executable.
#define SIMT_TLS extern __thread const __attribute__((tls_model("initial-exec")))

extern "C" {
SIMT_TLS uint3 threadIdx;
SIMT_TLS uint3 blockIdx;
SIMT_TLS uint3 blockDim;  // no dim3: a constructor would make reading them an access
SIMT_TLS uint3 gridDim;

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);
[[noreturn]] void __trap();

// Waits for the lanes of `mask`; then `simt_brought` says what each of them came with.
void simt_exchange(unsigned mask, uint64_t value);
uint64_t simt_brought(unsigned lane);
unsigned simt_lane();
unsigned simt_live_mask();

void* simt_shared(int id, size_t bytes, const char* name, int line, size_t columns);
void* simt_dynamic_shared(const char* name);
void simt_mark(int loop, unsigned iteration);
void simt_mark_end(int loop);

void simt_launch(const simt::Launch* launch);
void simt_entered(const char* kernel);  // which kernel a launch through a pointer came to
}
