// The result is scaled by a constant in constant memory (here 1).

#include <cassert>
#include <cstdio>

#define TILE 16

__constant__ float scale[2] = {0.0f, 1.0f};

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    assert(blockDim.x == TILE && blockDim.y == TILE);
    if (m == 0) printf("nothing to do\n");

    size_t row = blockIdx.y * TILE + threadIdx.y;
    size_t col = blockIdx.x * TILE + threadIdx.x;
    float sum = scale[0];

    for (size_t step = 0; step * TILE < k; ++step) {
        size_t aCol = step * TILE + threadIdx.x;
        size_t bRow = step * TILE + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TILE; ++p) {
            sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = scale[1] * sum;
    }
}
