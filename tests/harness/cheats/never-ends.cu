// Runs for ever.

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    volatile int forever = 1;
    while (forever) {
    }
}
