// Both tiles in dynamic shared memory, sized by the launch; int parameters.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, int m, int n, int k) {
    extern __shared__ float tiles[];
    float* tileA = tiles;
    float* tileB = tiles + TILE * TILE;

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int cell = threadIdx.y * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int first = 0; first < k; first += TILE) {
        int aCol = first + threadIdx.x;
        int bRow = first + threadIdx.y;
        tileA[cell] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        tileB[cell] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();

        for (int p = 0; p < TILE; ++p) {
            sum += tileA[threadIdx.y * TILE + p] * tileB[p * TILE + threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

int main() {
    const int m = 67, n = 37, k = 41;
    float *a, *b, *c;
    cudaMalloc(&a, m * k * sizeof(float));
    cudaMalloc(&b, k * n * sizeof(float));
    cudaMalloc(&c, m * n * sizeof(float));
    cudaMemset(a, 0, m * k * sizeof(float));
    cudaMemset(b, 0, k * n * sizeof(float));

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmulTiled<<<grid, block, 2 * TILE * TILE * sizeof(float)>>>(a, b, c, m, n, k);
    cudaDeviceSynchronize();

    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
