// The naive kernel with its axes exchanged: neighbouring threads take neighbouring rows.

__global__ void matmulNaive(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y * blockDim.y + threadIdx.x;
    size_t col = blockIdx.x * blockDim.x + threadIdx.y;
    if (row >= m || col >= n) return;

    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}
