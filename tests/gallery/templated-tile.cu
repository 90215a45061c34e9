// The tile's width is a template parameter.

template <int Tile>
__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n,
                            size_t k) {
    __shared__ float tileA[Tile][Tile];
    __shared__ float tileB[Tile][Tile];

    size_t row = blockIdx.y * Tile + threadIdx.y;
    size_t col = blockIdx.x * Tile + threadIdx.x;
    float sum = 0.0f;

    for (size_t first = 0; first < k; first += Tile) {
        size_t aCol = first + threadIdx.x;
        size_t bRow = first + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < Tile; ++p) {
            sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

template __global__ void matmulTiled<8>(const float*, const float*, float*, size_t, size_t, size_t);
template __global__ void matmulTiled<32>(const float*, const float*, float*, size_t, size_t,
                                         size_t);
