// Fifteen rows of threads wait for a flag that the first row sets only after the barrier.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ volatile int ready;
    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;

    if (threadIdx.x == 0 && threadIdx.y == 0) ready = 0;
    __syncthreads();
    if (threadIdx.y > 0) {
        while (ready == 0) {  // FAULT
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) ready = 1;

    if (row < m && col < n) {
        float sum = 0.0f;
        for (size_t p = 0; p < k; ++p) {
            sum += a[row * k + p] * b[p * n + col];
        }
        c[row * n + col] = sum;
    }
}
