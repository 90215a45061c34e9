// A's tile is stored transposed and without padding: the stores of a warp meet on few banks.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][TILE];  // tileA[p][row]
    __shared__ float tileB[TILE][TILE];

    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (size_t step = 0; step < (k + TILE - 1) / TILE; ++step) {
        size_t aCol = step * TILE + threadIdx.x;
        size_t bRow = step * TILE + threadIdx.y;
        tileA[threadIdx.x][threadIdx.y] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();

        for (int p = 0; p < TILE; ++p) {
            sum += tileA[p][threadIdx.y] * tileB[p][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
