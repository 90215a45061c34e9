// Hopes to see a file of the machine in an error message.
#include "/etc/passwd"

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {}
