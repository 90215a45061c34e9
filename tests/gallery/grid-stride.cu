// A grid of fixed size; each block walks over the tiles of C that are its own.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    for (size_t top = blockIdx.y * TILE; top < m; top += gridDim.y * TILE) {
        for (size_t left = blockIdx.x * TILE; left < n; left += gridDim.x * TILE) {
            size_t row = top + threadIdx.y;
            size_t col = left + threadIdx.x;
            float sum = 0.0f;
            for (size_t first = 0; first < k; first += TILE) {
                size_t aCol = first + threadIdx.x;
                size_t bRow = first + threadIdx.y;
                tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
                tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
                __syncthreads();
                for (int p = 0; p < TILE; ++p) {
                    sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
                }
                __syncthreads();
            }
            if (row < m && col < n) c[row * n + col] = sum;
        }
    }
}
