// Prints without end.
#include <cstdio>

struct Printer {
    Printer() {
        while (true) std::puts("0123456789abcdef0123456789abcdef0123456789abcdef");
    }
} printer;

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {}
