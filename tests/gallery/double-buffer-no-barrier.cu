// Two buffers, and no barrier between filling one and reading it.

#define TILE 16

__device__ float at(const float* x, size_t i, size_t j, size_t rows, size_t cols) {
    return i < rows && j < cols ? x[i * cols + j] : 0.0f;
}

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[2][TILE][TILE];
    __shared__ float tileB[2][TILE][TILE];

    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = blockIdx.y * TILE + y;
    const size_t col = blockIdx.x * TILE + x;
    const size_t steps = (k + TILE - 1) / TILE;
    float sum = 0.0f;

    tileA[0][y][x] = at(a, row, x, m, k);
    tileB[0][y][x] = at(b, y, col, k, n);
    __syncthreads();

    for (size_t step = 0; step < steps; ++step) {
        const int now = step % 2;
        const int next = 1 - now;
        if (step + 1 < steps) {  // the next tiles arrive while these are multiplied
            tileA[next][y][x] = at(a, row, (step + 1) * TILE + x, m, k);  // FAULT
            tileB[next][y][x] = at(b, (step + 1) * TILE + y, col, k, n);  // FAULT
        }
        for (int p = 0; p < TILE; ++p) {
            sum += tileA[now][y][p] * tileB[now][p][x];  // FAULT
        }
    }

    if (row < m && col < n) c[row * n + col] = sum;
}
