// The row comes from threadIdx.x: neighbouring threads read and write a whole row apart.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    size_t row = blockIdx.y * TILE + threadIdx.x;
    size_t col = blockIdx.x * TILE + threadIdx.y;
    float sum = 0.0f;

    for (size_t step = 0; step < (k + TILE - 1) / TILE; ++step) {
        size_t aCol = step * TILE + threadIdx.y;
        size_t bRow = step * TILE + threadIdx.x;
        tileA[threadIdx.x][threadIdx.y] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;  // FAULT
        tileB[threadIdx.x][threadIdx.y] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;  // FAULT
        __syncthreads();

        for (int p = 0; p < TILE; ++p) {
            sum += tileA[threadIdx.x][p] * tileB[p][threadIdx.y];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;  // FAULT
    }
}
