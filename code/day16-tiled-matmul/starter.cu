// Your matmulTiled. It is right already, and as slow as it gets: every thread reads everything
// itself. Make the block fetch each float once.
//
//   nvcc -std=c++17 -O3 -arch=native -o starter starter.cu && ./starter    with a GPU
//   course grade starter.cu                                                with or without one
//
// One sentence: what does your guard write into the tile off the edge, and why?
// ANSWER: …

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kTileDim = 16;  // tile width, and block width: one thread an output element

// A is m x k, B is k x n, C is m x n, row by row. Keep the name and the parameters.
__global__ void matmulTiled(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    // TODO: two __shared__ tiles of kTileDim x kTileDim floats.
    const size_t row = blockIdx.y * size_t{kTileDim} + threadIdx.y;
    const size_t col = blockIdx.x * size_t{kTileDim} + threadIdx.x;

    // TODO: once you have barriers, no thread may leave before the last of them.
    if (row >= m || col >= n) return;

    // TODO: walk along K in steps of a tile: fill both tiles, wait, multiply out of them, wait.
    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}

// Nothing below needs a change.

void check(cudaError_t status, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "starter.cu:%d: %s\n", line, cudaGetErrorString(status));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), __LINE__)

float* onDevice(const std::vector<float>& host) {
    float* device = nullptr;
    CHECK(cudaMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

// Small whole numbers, so that every sum is exact and a difference is a mistake.
std::vector<float> numbers(size_t count, unsigned seed) {
    std::vector<float> values(count);
    for (float& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<float>(static_cast<int>((seed >> 16) % 7) - 3);
    }
    return values;
}

bool isRight(size_t m, size_t n, size_t k) {
    const std::vector<float> a = numbers(m * k, 16), b = numbers(k * n, 61);
    std::vector<float> c(m * n, -1.0f);
    float *deviceA = onDevice(a), *deviceB = onDevice(b), *deviceC = onDevice(c);

    const dim3 block(kTileDim, kTileDim);
    const dim3 grid(static_cast<unsigned>((n + kTileDim - 1) / kTileDim),
                    static_cast<unsigned>((m + kTileDim - 1) / kTileDim));
    matmulTiled<<<grid, block>>>(deviceA, deviceB, deviceC, m, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), deviceC, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
            wrong += !(c[i * n + j] == sum);
        }
    }
    std::printf("%zux%zux%zu: %zu of %zu elements are wrong\n", m, n, k, wrong, m * n);
    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceB));
    CHECK(cudaFree(deviceC));
    return wrong == 0;
}

int main() {
    bool right = true;
    right = isRight(64, 64, 64) && right;
    right = isRight(67, 37, 41) && right;  // no tile divides any of the three
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
