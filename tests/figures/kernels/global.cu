// The naive kernel, and the same with x and y swapped.

__global__ void naive(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
    c[row * n + col] = sum;
}

__global__ void swapped(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * blockDim.y + threadIdx.x;
    const size_t col = blockIdx.x * blockDim.x + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
    c[row * n + col] = sum;
}
