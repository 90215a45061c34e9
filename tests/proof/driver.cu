// Runs one kernel at the cases given and says of each how many elements came out wrong.
//
//   nvcc -DSOURCE='"some.cu"' -DKERNEL='matmulTiled<8>' -o driver driver.cu
//   ./driver poison|bare BLOCK_X,BLOCK_Y SHARED_BYTES M,N,K,GRID_X,GRID_Y ...
//
// Buffers end where the matrices end, so that a tool sees every step outside. C is poisoned before
// each run; "bare" leaves it as allocated, so that a tool can see what was never written.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define main mainOfTheSource
#include SOURCE
#undef main

namespace driver {

constexpr uint32_t kPoison = 0x7fc0dead;  // a NaN that no sum can be

struct Size {
    size_t m, n, k;
    unsigned gridX, gridY;
};

void require(cudaError_t status, const Size& size) {
    if (status == cudaSuccess) return;
    std::printf("{\"case\": [%zu, %zu, %zu], \"error\": \"%s\"}\n", size.m, size.n, size.k,
                cudaGetErrorString(status));
    std::fflush(stdout);
    std::exit(3);
}

// Small whole numbers: every sum is exact, so a difference is a fault.
std::vector<float> numbers(size_t count, int largest, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(static_cast<int>(random() % (2 * largest + 1)) - largest);
    }
    return values;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                           const Size& size) {
    std::vector<float> c(size.m * size.n, 0.0f);
    for (size_t i = 0; i < size.m; ++i) {
        for (size_t p = 0; p < size.k; ++p) {
            for (size_t j = 0; j < size.n; ++j) {
                c[i * size.n + j] += a[i * size.k + p] * b[p * size.n + j];
            }
        }
    }
    return c;
}

float* onDevice(const std::vector<float>& values, const Size& size) {
    float* pointer = nullptr;
    const size_t bytes = values.size() * sizeof(float);
    require(cudaMalloc(reinterpret_cast<void**>(&pointer), bytes), size);
    require(cudaMemcpy(pointer, values.data(), bytes, cudaMemcpyHostToDevice), size);
    return pointer;
}

void run(const Size& size, dim3 block, size_t shared, bool poison) {
    const std::vector<float> a = numbers(size.m * size.k, 2, 16);
    const std::vector<float> b = numbers(size.k * size.n, 3, 61);
    const std::vector<float> expected = product(a, b, size);
    const size_t bytes = expected.size() * sizeof(float);
    std::vector<float> c(expected.size());

    float* deviceA = onDevice(a, size);
    float* deviceB = onDevice(b, size);
    float* deviceC = nullptr;
    require(cudaMalloc(reinterpret_cast<void**>(&deviceC), bytes), size);
    if (poison) {
        const std::vector<uint32_t> words(expected.size(), kPoison);
        require(cudaMemcpy(deviceC, words.data(), bytes, cudaMemcpyHostToDevice), size);
    }
    KERNEL<<<dim3(size.gridX, size.gridY), block, shared>>>(deviceA, deviceB, deviceC, size.m,
                                                           size.n, size.k);
    require(cudaGetLastError(), size);
    require(cudaDeviceSynchronize(), size);
    require(cudaMemcpy(c.data(), deviceC, bytes, cudaMemcpyDeviceToHost), size);

    size_t wrong = 0, unwritten = 0;
    for (size_t i = 0; i < c.size(); ++i) {
        uint32_t word;
        std::memcpy(&word, &c[i], sizeof word);
        unwritten += poison && word == kPoison;
        wrong += !(c[i] == expected[i]);
    }
    std::printf("{\"case\": [%zu, %zu, %zu], \"wrong\": %zu, \"unwritten\": %zu}\n", size.m,
                size.n, size.k, wrong, unwritten);
    std::fflush(stdout);
    cudaFree(deviceA);
    cudaFree(deviceB);
    cudaFree(deviceC);
}

}  // namespace driver

int main(int argc, char** argv) {
    unsigned x, y;
    if (argc < 5 || std::sscanf(argv[2], "%u,%u", &x, &y) != 2) return 2;
    for (int i = 4; i < argc; ++i) {
        driver::Size size;
        if (std::sscanf(argv[i], "%zu,%zu,%zu,%u,%u", &size.m, &size.n, &size.k, &size.gridX,
                        &size.gridY) != 5) {
            return 2;
        }
        driver::run(size, dim3(x, y), std::strtoul(argv[3], nullptr, 10),
                    std::strcmp(argv[1], "poison") == 0);
    }
    return 0;
}
