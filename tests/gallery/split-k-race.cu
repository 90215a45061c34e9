// Two blocks share one tile of C: one stores its half of the sum, the other adds to it.

#define TILE 16

// Even blocks of the grid's y axis take the first half of K, odd blocks the second.
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y / 2 * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    bool second = blockIdx.y % 2 == 1;
    if (row >= m || col >= n) return;

    float sum = 0.0f;
    for (size_t p = second ? k / 2 : 0; p < (second ? k : k / 2); ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    if (second) {
        c[row * n + col] += sum;  // FAULT
    } else {
        c[row * n + col] = sum;  // FAULT
    }
}
