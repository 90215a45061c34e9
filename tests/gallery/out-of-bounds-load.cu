// No guard on the loads: right only where the tile divides all three sizes.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (size_t step = 0; step < (k + TILE - 1) / TILE; ++step) {
        size_t aCol = step * TILE + threadIdx.x;
        size_t bRow = step * TILE + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = a[row * k + aCol];  // FAULT
        tileB[threadIdx.y][threadIdx.x] = b[bRow * n + col];  // FAULT
        __syncthreads();

        for (int p = 0; p < TILE; ++p) {
            sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

int main() {
    const size_t m = 67, n = 37, k = 41;
    float *a, *b, *c;
    cudaMalloc(&a, m * k * sizeof(float));
    cudaMalloc(&b, k * n * sizeof(float));
    cudaMalloc(&c, m * n * sizeof(float));
    cudaMemset(a, 0, m * k * sizeof(float));
    cudaMemset(b, 0, k * n * sizeof(float));

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmulTiled<<<grid, block>>>(a, b, c, m, n, k);
    cudaDeviceSynchronize();

    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
