// A warp makes 32 columns of one row; A's values go from lane to lane by shuffles.

constexpr int kWarp = 32;

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t col = blockIdx.x * size_t{kWarp} + threadIdx.x;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += kWarp) {
        const size_t aCol = first + threadIdx.x;
        const float mine = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        for (int p = 0; p < kWarp; ++p) {
            const float theirs = __shfl_sync(0xffffffffu, mine, p);
            if (first + p < k && col < n) sum += theirs * b[(first + p) * n + col];
        }
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
