// CUDA's keywords, as far as a host compiler needs to see them. Launches and __shared__
// variables are not here: they are rewritten from the parse tree before the compiler runs.
#pragma once

// What a kernel calls is inlined into it, as nvcc does it: accesses of a helper that is called twice
// are then two instructions, and lanes that skip one of them are not matched with the other.
// The launch knows nothing of the kernel, so none is left out for having no effect.
#ifdef __clang__
#define __global__ __attribute__((noinline, flatten))
#else
#define __global__ __attribute__((noipa, flatten))
#endif
#define __device__
#define __host__
#define __constant__ static
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __CUDACC__ 1
#define __CUDA_ARCH__ 750
