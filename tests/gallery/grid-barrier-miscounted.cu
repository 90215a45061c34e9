// A home-made barrier for the grid: one thread a block arrives, and all threads are waited for.

#define TILE 16

__device__ unsigned arrived = 0;

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;

    if (threadIdx.x == 0 && threadIdx.y == 0) {
        atomicAdd(&arrived, 1u);
        unsigned all = gridDim.x * gridDim.y * TILE * TILE;
        while (atomicAdd(&arrived, 0u) < all) {  // FAULT
        }
    }
    __syncthreads();

    if (row < m && col < n) {
        float sum = 0.0f;
        for (size_t p = 0; p < k; ++p) {
            sum += a[row * k + p] * b[p * n + col];
        }
        c[row * n + col] = sum;
    }
}
