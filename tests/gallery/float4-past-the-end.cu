// Four floats at once, with no care for a K that ends inside the four.

#define TILE 16

// A block of 16 x 16 threads; four of each row load A's tile, four floats each.
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float4 tileA[TILE][TILE / 4];
    __shared__ float tileB[TILE][TILE];

    size_t col = blockIdx.x * TILE + threadIdx.x;
    size_t row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += TILE) {
        if (threadIdx.x < TILE / 4) {
            size_t at = row * k + first + 4 * threadIdx.x;
            float4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
            tileA[threadIdx.y][threadIdx.x] =
                row < m ? *reinterpret_cast<const float4*>(a + at) : zero;  // FAULT
        }
        size_t bRow = first + threadIdx.y;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();

        for (int p = 0; p < TILE; p += 4) {
            float4 four = tileA[threadIdx.y][p / 4];
            sum += four.x * tileB[p][threadIdx.x] + four.y * tileB[p + 1][threadIdx.x];
            sum += four.z * tileB[p + 2][threadIdx.x] + four.w * tileB[p + 3][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
