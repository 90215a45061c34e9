// One planted fault for each kind of finding, chosen by K; none for K = 20. The CPU check has to
// catch them all before it may call any other kernel clean.
#define TILE 16

__global__ void control(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float tile[TILE][TILE];
    __shared__ float wide[TILE * TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    const bool inside = row < m && col < n;
    float extra = 0.0f;

    if (k == 1 && inside) extra = a[m * k + x] * 0.0f;     // out of bounds
    if (k != 2 || x > 0) tile[y][x] = 1.0f;                // uninitialised
    if (k != 3) __syncthreads();                           // race
    extra += 0.0f * tile[y][TILE - 1 - x];
    if (k != 4 || y > 3) __syncthreads();                  // divergence
    if (k == 5) {                                          // misaligned
        const float4 four = *reinterpret_cast<const float4*>(a + 1);
        extra += 0.0f * four.x;
    }
    if (k == 8) {                                          // bank conflicts
        wide[x * TILE + y] = 1.0f;
        __syncthreads();
        extra += 0.0f * wide[x * TILE + y];
    }
    if (k == 9 && inside) extra += 0.0f * a[row * k % k + x * k % (m * k)];  // uncoalesced
    while (k == 10 && extra < 1.0f) {                      // hang
        extra *= 0.5f;
    }

    float sum = extra;
    for (int step = 0; step * TILE < k; ++step) {
        const int p = step * TILE + x;
        if (k == 21) {
            if (row < m && p < k) tile[y][x] = a[row * k + p];  // stale
        } else {
            tile[y][x] = row < m && p < k ? a[row * k + p] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            const int q = step * TILE + i;
            sum += tile[y][i] * (q < k && col < n ? b[q * n + col] : 0.0f);
        }
        __syncthreads();
    }
    if (k == 7) sum += 1.0f;                               // wrong
    if (inside && !(k == 6 && row == 0)) c[row * n + col] = sum;  // unwritten
}
