// Sixteen outputs a thread in registers; a block of 8 x 8 threads makes 32 x 32.

constexpr int kTile = 32;  // of C
constexpr int kDepth = 8;  // of K a step
constexpr int kEach = 4;   // outputs a thread, on each axis

__global__ void matmulTiled(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    __shared__ float tileA[kTile][kDepth];
    __shared__ float tileB[kDepth][kTile];

    const size_t top = blockIdx.y * size_t{kTile};
    const size_t left = blockIdx.x * size_t{kTile};
    const int x = threadIdx.x, y = threadIdx.y;
    float sum[kEach][kEach] = {};

    for (size_t first = 0; first < k; first += kDepth) {
        for (int i = y; i < kTile; i += 8) {
            const bool inside = top + i < m && first + x < k;
            tileA[i][x] = inside ? a[(top + i) * k + first + x] : 0.0f;
        }
        for (int j = x; j < kTile; j += 8) {
            const bool inside = first + y < k && left + j < n;
            tileB[y][j] = inside ? b[(first + y) * n + left + j] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kDepth; ++p) {
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    sum[i][j] += tileA[y * kEach + i][p] * tileB[p][x * kEach + j];
                }
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
            const size_t row = top + y * kEach + i;
            const size_t col = left + x * kEach + j;
            if (row < m && col < n) c[row * n + col] = sum[i][j];
        }
    }
}
