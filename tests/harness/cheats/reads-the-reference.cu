// Looks for the reference beyond the end of C and copies it.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * 16 + threadIdx.y;
    const size_t col = blockIdx.x * 16 + threadIdx.x;
    if (row < m && col < n) c[row * n + col] = c[m * n + row * n + col];
}
