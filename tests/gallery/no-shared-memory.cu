// Right, and every thread reads a whole row of A and a whole column of B itself.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    if (row < m && col < n) {
        float sum = 0.0f;
        for (size_t p = 0; p < k; ++p) {
            sum += a[row * k + p] * b[p * n + col];  // FAULT
        }
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
