// Reads for ever at the end of a file.
#include <cstdio>

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    char byte;
    while (std::fread(&byte, 1, 1, stdin) == 0) {
    }
}
