// A block of 32 x 8 threads: A's tile is 8 x 32, and each thread loads four cells of B's.

#define WIDTH 32
#define ROWS 8

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[ROWS][WIDTH];
    __shared__ float tileB[WIDTH][WIDTH];

    size_t row = blockIdx.y * ROWS + threadIdx.y;
    size_t col = blockIdx.x * WIDTH + threadIdx.x;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += WIDTH) {
        size_t aCol = first + threadIdx.x;
        tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        for (unsigned i = threadIdx.y; i < WIDTH; i += ROWS) {
            size_t bRow = first + i;
            tileB[i][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < WIDTH; ++p) {
            sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
