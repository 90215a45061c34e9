// Four floats at once from the start of a row, which is aligned only if K is a multiple of 4.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;

    float sum = 0.0f;
    size_t p = 0;
    for (; p + 4 <= k; p += 4) {
        float4 four = *reinterpret_cast<const float4*>(a + row * k + p);  // FAULT
        sum += four.x * b[p * n + col];
        sum += four.y * b[(p + 1) * n + col];
        sum += four.z * b[(p + 2) * n + col];
        sum += four.w * b[(p + 3) * n + col];
    }
    for (; p < k; ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}
