// Three ways to lay out B's tile. A comes straight from global memory, so that every shared access
// of the inner loop is the one that the figure shows.

template <int Tile, int Pitch, bool Across>
__device__ void multiply(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    __shared__ float tileB[Tile * Pitch];
    const int x = threadIdx.x;
    const size_t row = blockIdx.y * size_t{Tile} + threadIdx.y;
    const size_t col = blockIdx.x * size_t{Tile} + threadIdx.x;

    float sum = 0.0f;
    for (size_t first = 0; first < k; first += Tile) {
        const int y = threadIdx.y;
        const size_t bRow = first + y;
        tileB[Across ? x * Pitch + y : y * Pitch + x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < Tile; ++p) {
            const float other = tileB[Across ? x * Pitch + p : p * Pitch + x];
            if (row < m && first + p < k) sum += a[row * k + first + p] * other;
        }
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

template <int Tile>  // tileB[p][x]
__global__ void row(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply<Tile, Tile, false>(a, b, c, m, n, k);
}

template <int Tile>  // tileB[x][p]
__global__ void column(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply<Tile, Tile, true>(a, b, c, m, n, k);
}

template <int Tile>  // tileB[x][p], rows one float longer
__global__ void padded(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply<Tile, Tile + 1, true>(a, b, c, m, n, k);
}
