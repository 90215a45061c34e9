// The same, through a macro.
#define FILE_OF_THE_MACHINE "/etc/passwd"
#include FILE_OF_THE_MACHINE

__global__ void matmulTiled(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {}
