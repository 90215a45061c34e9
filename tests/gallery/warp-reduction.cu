// A warp makes one element: each lane a part of the sum, added up by shuffles.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    const size_t row = blockIdx.y;
    const size_t col = blockIdx.x * blockDim.y + threadIdx.y;  // one warp a column
    if (row >= m || col >= n) return;                          // the whole warp

    float sum = 0.0f;
    for (size_t p = threadIdx.x; p < k; p += 32) {
        sum += a[row * k + p] * b[p * n + col];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (threadIdx.x == 0) c[row * n + col] = sum;
}
