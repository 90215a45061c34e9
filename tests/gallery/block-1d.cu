// A block of 256 threads in one row, laid out as a 16 x 16 tile by division.

#define TILE 16

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE * TILE];
    __shared__ float tileB[TILE * TILE];

    unsigned x = threadIdx.x % TILE;
    unsigned y = threadIdx.x / TILE;
    size_t row = blockIdx.y * TILE + y;
    size_t col = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += TILE) {
        tileA[threadIdx.x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        tileB[threadIdx.x] = first + y < k && col < n ? b[(first + y) * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TILE; ++p) {
            sum += tileA[y * TILE + p] * tileB[p * TILE + x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
