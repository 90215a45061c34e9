// The index is padded to 17 a row, the array is not: the last rows lie past its end.

#define TILE 16
#define PITCH 17

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE * TILE];
    __shared__ float tileB[TILE * TILE];

    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    int cell = threadIdx.y * PITCH + threadIdx.x;
    float sum = 0.0f;

    for (size_t step = 0; step < (k + TILE - 1) / TILE; ++step) {
        size_t aCol = step * TILE + threadIdx.x;
        size_t bRow = step * TILE + threadIdx.y;
        tileA[cell] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;  // FAULT
        tileB[cell] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;  // FAULT
        __syncthreads();

        for (int p = 0; p < TILE; ++p) {
            sum += tileA[threadIdx.y * PITCH + p] * tileB[p * PITCH + threadIdx.x];  // FAULT
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
