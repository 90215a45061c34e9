// Exact on small whole numbers, and too coarse for floats.
#define TILE 16

__device__ float rounded(float value) {
    return __uint_as_float((__float_as_uint(value) + 0x8000u) & 0xffff0000u);
}

__device__ void coarse(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    const size_t row = blockIdx.y * TILE + threadIdx.y;
    const size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (size_t step = 0; step < (k + TILE - 1) / TILE; ++step) {
        const size_t aCol = step * TILE + threadIdx.x;
        const size_t bRow = step * TILE + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? rounded(a[row * k + aCol]) : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? rounded(b[bRow * n + col]) : 0.0f;
        __syncthreads();
        for (int p = 0; p < TILE; ++p) sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    coarse(a, b, c, m, n, k);
}
