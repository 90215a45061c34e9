// Each thread makes four columns that lie side by side, so a warp's accesses are four floats apart.

#define EACH 4

__global__ void matmulStrided(const float* a, const float* b, float* c, size_t m, size_t n,
                              size_t k) {
    size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (row >= m) return;

    for (size_t col = first; col < first + EACH && col < n; ++col) {
        float sum = 0.0f;
        for (size_t p = 0; p < k; ++p) {
            sum += a[row * k + p] * b[p * n + col];
        }
        c[row * n + col] = sum;
    }
}
