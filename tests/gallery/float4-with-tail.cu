// Four floats at once where the row allows it, one at a time for what is left.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;

    const float* aRow = a + row * k;
    float sum = 0.0f;
    size_t p = 0;
    if (k % 4 == 0) {  // only then does every row start on 16 bytes
        for (; p < k; p += 4) {
            float4 four = *reinterpret_cast<const float4*>(aRow + p);
            sum += four.x * b[p * n + col];
            sum += four.y * b[(p + 1) * n + col];
            sum += four.z * b[(p + 2) * n + col];
            sum += four.w * b[(p + 3) * n + col];
        }
    }
    for (; p < k; ++p) {
        sum += aRow[p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}
