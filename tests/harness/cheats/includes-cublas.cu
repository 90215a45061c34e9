// Wants cuBLAS to multiply for it.
#include <cublas_v2.h>

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    cublasHandle_t handle;
    cublasCreate(&handle);
}
