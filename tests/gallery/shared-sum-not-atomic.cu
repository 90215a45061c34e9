// Sixteen threads add their part to one shared sum, with a plain +=.

#define TILE 16

// One row of C a block: 16 columns, and 16 threads that share the sum of each.
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float sums[TILE];

    size_t row = blockIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    if (threadIdx.y == 0) {
        sums[threadIdx.x] = 0.0f;
    }
    __syncthreads();

    float part = 0.0f;
    if (col < n) {
        for (size_t p = threadIdx.y; p < k; p += TILE) {
            part += a[row * k + p] * b[p * n + col];
        }
    }
    sums[threadIdx.x] += part;  // FAULT
    __syncthreads();

    if (threadIdx.y == 0 && col < n) {
        c[row * n + col] = sums[threadIdx.x];
    }
}
