// Four outputs a thread, and the guard looks at the first of them only.

#define TILE 32
#define HALF 16

// A block of 16 x 16 threads makes 32 x 32 elements of C: each thread four, 16 apart.
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][HALF];
    __shared__ float tileB[HALF][TILE];

    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum[2][2] = {};

    for (size_t first = 0; first < k; first += HALF) {
        for (int h = 0; h < TILE; h += HALF) {
            size_t aCol = first + threadIdx.x;
            size_t bRow = first + threadIdx.y;
            tileA[threadIdx.y + h][threadIdx.x] =
                row + h < m && aCol < k ? a[(row + h) * k + aCol] : 0.0f;
            tileB[threadIdx.y][threadIdx.x + h] =
                bRow < k && col + h < n ? b[bRow * n + col + h] : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < HALF; ++p) {
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 2; ++j) {
                    sum[i][j] +=
                        tileA[threadIdx.y + i * HALF][p] * tileB[p][threadIdx.x + j * HALF];
                }
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (row < m && col < n) {
                c[(row + i * HALF) * n + col + j * HALF] = sum[i][j];  // FAULT
            }
        }
    }
}
