// The lanes of a warp hand values to each other and never wait for each other.

#define WIDTH 32
#define ROWS 8

// A warp makes 32 columns of one row of C. Its lanes fetch 32 values of A's row together.
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float part[ROWS][WIDTH];

    size_t row = blockIdx.y * ROWS + threadIdx.y;
    size_t col = blockIdx.x * WIDTH + threadIdx.x;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += WIDTH) {
        size_t aCol = first + threadIdx.x;
        part[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;  // FAULT
        for (size_t p = 0; p < WIDTH && first + p < k; ++p) {
            sum += part[threadIdx.y][p] * (col < n ? b[(first + p) * n + col] : 0.0f);  // FAULT
        }
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}
