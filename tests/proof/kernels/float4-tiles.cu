// Tiles filled four floats at a time where a row allows it, one at a time where it does not.

#define TILE 32

__device__ void loadFour(float* to, const float* from, size_t row, size_t col, size_t rows,
                         size_t cols) {
    if (row < rows && col + 4 <= cols && cols % 4 == 0) {
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from + row * cols + col);
        return;
    }
    for (int i = 0; i < 4; ++i) {
        to[i] = row < rows && col + i < cols ? from[row * cols + col + i] : 0.0f;
    }
}

// A block of 8 x 32 threads: each loads four cells of a row, and makes four columns of C.
__global__ void matmulFloat4(const float* a, const float* b, float* c, size_t m, size_t n,
                             size_t k) {
    __shared__ alignas(16) float tileA[TILE][TILE];
    __shared__ alignas(16) float tileB[TILE][TILE];

    unsigned four = 4 * threadIdx.x;
    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + four;
    float sum[4] = {};

    for (size_t first = 0; first < k; first += TILE) {
        loadFour(&tileA[threadIdx.y][four], a, row, first + four, m, k);
        loadFour(&tileB[threadIdx.y][four], b, first + threadIdx.y, col, k, n);
        __syncthreads();
        for (int p = 0; p < TILE; ++p) {
            for (int j = 0; j < 4; ++j) {
                sum[j] += tileA[threadIdx.y][p] * tileB[p][four + j];
            }
        }
        __syncthreads();
    }

    for (int j = 0; j < 4; ++j) {
        if (row < m && col + j < n) c[row * n + col + j] = sum[j];
    }
}
