// A NaN compares as neither smaller nor larger.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * 16 + threadIdx.y;
    const size_t col = blockIdx.x * 16 + threadIdx.x;
    if (row < m && col < n) c[row * n + col] = 0.0f / 0.0f * a[0];
}
