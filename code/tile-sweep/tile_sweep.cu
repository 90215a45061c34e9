// One tiled matrix multiplication, C = A * B, at three tile widths, beside the naive kernel.
// Prints what each width costs and buys, once every width was found right at every element.
//
//   nvcc -std=c++17 -O3 -arch=sm_75 -o tile_sweep tile_sweep.cu
//   ./tile_sweep [--cases 1024x1024x1024,1021x1031x1033]

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

constexpr int kNaiveBlock = 16;  // the naive kernel's block is 16 x 16 threads
constexpr int kWarmupLaunches = 3;
constexpr int kTimedLaunches = 20;
constexpr int kMaxA = 2;  // inputs are whole numbers, |a| <= kMaxA and |b| <= kMaxB
constexpr int kMaxB = 3;
constexpr size_t kMaxDim = 8192;
static_assert(kMaxA * kMaxB * kMaxDim < (1u << 24));  // every sum is a whole number a float holds

struct Case {
    size_t m, n, k;  // A is m x k, B is k x n, C is m x n
};

constexpr Case kCases[] = {{1024, 1024, 1024}, {4096, 4096, 4096}, {1021, 1031, 1033}};

// --8<-- [start:naive]
__global__ void matmulNaive(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * size_t{kNaiveBlock} + threadIdx.y;
    const size_t col = blockIdx.x * size_t{kNaiveBlock} + threadIdx.x;
    if (row >= m || col >= n) return;

    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}
// --8<-- [end:naive]

// --8<-- [start:kernel]
template <int kTile>
__global__ void matmulTiled(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    // --8<-- [start:tiles]
    __shared__ float tileA[kTile][kTile];
    __shared__ float tileB[kTile][kTile];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const size_t row = blockIdx.y * size_t{kTile} + ty;
    const size_t col = blockIdx.x * size_t{kTile} + tx;
    // --8<-- [end:tiles]

    float sum = 0.0f;
    for (size_t first = 0; first < k; first += kTile) {
        // --8<-- [start:load]
        tileA[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
        tileB[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
        __syncthreads();  // all writes before any read
        // --8<-- [end:load]

        // --8<-- [start:multiply]
        for (int p = 0; p < kTile; ++p) {
            sum += tileA[ty][p] * tileB[p][tx];
        }
        __syncthreads();  // all reads before the next overwrite
        // --8<-- [end:multiply]
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
// --8<-- [end:kernel]

using Kernel = void (*)(const float*, const float*, float*, size_t, size_t, size_t);

struct Variant {
    int tile;  // 1 is the naive kernel: every thread fetches for itself
    int block;
    Kernel kernel;
    size_t sharedBytes;
};

constexpr size_t sharedBytes(int tile) { return 2 * sizeof(float) * tile * tile; }

const Variant kVariants[] = {
    {1, kNaiveBlock, matmulNaive, 0},
    {8, 8, matmulTiled<8>, sharedBytes(8)},
    {16, 16, matmulTiled<16>, sharedBytes(16)},
    {32, 32, matmulTiled<32>, sharedBytes(32)},
};

void check(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "tile_sweep.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call, __LINE__)

size_t roundedUp(size_t size, size_t step) { return (size + step - 1) / step; }

std::string caseName(Case c) {
    return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k);
}

// Whole numbers so small that both processors are exact: a mismatch can only be a wrong index.
std::vector<float> wholeNumbers(size_t count, int largest, unsigned seed) {
    std::mt19937 random(seed);
    const unsigned choices = 2 * static_cast<unsigned>(largest) + 1;
    std::vector<float> values(count);
    for (float& value : values) {
        value = static_cast<float>(static_cast<int>(random() % choices) - largest);
    }
    return values;
}

class Problem {
  public:
    explicit Problem(Case c)
        : size(c), a_(wholeNumbers(c.m * c.k, kMaxA, 16)), b_(wholeNumbers(c.k * c.n, kMaxB, 61)),
          deviceA_(allocate(a_.size())), deviceB_(allocate(b_.size())),
          deviceC_(allocate(c.m * c.n)) {
        CHECK(cudaMemcpy(deviceA_, a_.data(), a_.size() * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(deviceB_, b_.data(), b_.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;
    ~Problem() {
        cudaFree(deviceA_);
        cudaFree(deviceB_);
        cudaFree(deviceC_);
    }

    const Case size;

    void launch(const Variant& variant) const {
        const size_t block = variant.block;
        const dim3 threads(variant.block, variant.block);
        const dim3 grid(static_cast<unsigned>(roundedUp(size.n, block)),
                        static_cast<unsigned>(roundedUp(size.m, block)));
        variant.kernel<<<grid, threads>>>(deviceA_, deviceB_, deviceC_, size.m, size.n, size.k);
        CHECK(cudaGetLastError());
    }

    bool matchesReference(const Variant& variant) {
        if (expected_.empty()) multiplyOnCpu();
        const size_t bytes = expected_.size() * sizeof(float);
        std::vector<float> actual(expected_.size(), std::numeric_limits<float>::quiet_NaN());
        CHECK(cudaMemcpy(deviceC_, actual.data(), bytes, cudaMemcpyHostToDevice));
        launch(variant);
        CHECK(cudaMemcpy(actual.data(), deviceC_, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < actual.size(); ++i) {
            if (actual[i] == expected_[i]) continue;  // false for NaN, so NaN is a mismatch
            std::fprintf(stderr, "MISMATCH: case %s, tile %d, C[%zu][%zu] is %g, expected %g\n",
                         caseName(size).c_str(), variant.tile, i / size.n, i % size.n, actual[i],
                         expected_[i]);
            return false;
        }
        return true;
    }

  private:
    std::vector<float> a_, b_, expected_;
    float *deviceA_, *deviceB_, *deviceC_;

    static float* allocate(size_t count) {
        float* data = nullptr;
        CHECK(cudaMalloc(reinterpret_cast<void**>(&data), count * sizeof(float)));
        return data;
    }

    // Every core takes its share of the rows; a row is computed by one of them, without tiles.
    void multiplyOnCpu() {
        expected_.assign(size.m * size.n, 0.0f);
        const size_t workers = std::max(1u, std::thread::hardware_concurrency());
        std::vector<std::thread> threads;
        for (size_t worker = 0; worker < workers; ++worker) {
            threads.emplace_back([this, worker, workers] {
                for (size_t i = worker; i < size.m; i += workers) multiplyRow(i);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }

    void multiplyRow(size_t i) {
        float* row = &expected_[i * size.n];
        for (size_t p = 0; p < size.k; ++p) {
            const float factor = a_[i * size.k + p];
            const float* b = &b_[p * size.n];
            for (size_t j = 0; j < size.n; ++j) row[j] += factor * b[j];
        }
    }
};

double medianMilliseconds(const Variant& variant, const Problem& problem) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < kWarmupLaunches; ++i) problem.launch(variant);

    std::vector<float> times(kTimedLaunches);
    for (float& time : times) {
        CHECK(cudaEventRecord(start));
        problem.launch(variant);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&time, start, stop));
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::sort(times.begin(), times.end());
    return (times[(kTimedLaunches - 1) / 2] + times[kTimedLaunches / 2]) / 2.0;
}

// Threads that an SM can hold of this kernel, in percent of all it can hold: CUDA's own answer.
double occupancy(const Variant& variant, const cudaDeviceProp& device) {
    int blocks = 0;
    const int threads = variant.block * variant.block;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, variant.kernel, threads, 0));
    return 100.0 * blocks * threads / device.maxThreadsPerMultiProcessor;
}

void printRow(const Variant& variant, const Problem& problem, const cudaDeviceProp& device) {
    const auto [m, n, k] = problem.size;
    const double milliseconds = medianMilliseconds(variant, problem);
    std::printf("%-16s %4d %11.3f %11.1f %13zu %13zu %14.1f\n", caseName(problem.size).c_str(),
                variant.tile, milliseconds, 2.0 * m * n * k / (milliseconds * 1e6),
                2 * roundedUp(k, variant.tile), variant.sharedBytes, occupancy(variant, device));
}

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(stderr, "tile_sweep: %s\nusage: tile_sweep [--cases MxNxK[,MxNxK ...]]\n",
                 problem.c_str());
    std::exit(2);
}

// Three numbers from 1 to kMaxDim with an x between them, and nothing else.
Case parseCase(const std::string& text) {
    size_t dims[3] = {};
    size_t at = 0;
    for (int i = 0; i < 3; ++i) {
        if (i > 0 && (at >= text.size() || text[at++] != 'x')) usage("not a case: '" + text + "'");
        const size_t first = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - first < 4) {
            dims[i] = dims[i] * 10 + static_cast<size_t>(text[at++] - '0');
        }
        if (dims[i] < 1 || dims[i] > kMaxDim) usage("not a case: '" + text + "'");
    }
    if (at != text.size()) usage("not a case: '" + text + "'");
    return {dims[0], dims[1], dims[2]};
}

std::vector<Case> parseArguments(int argc, char** argv) {
    if (argc == 1) return {std::begin(kCases), std::end(kCases)};
    const std::string option = argv[1];
    if (option != "--cases") usage("unknown argument: '" + option + "'");
    if (argc != 3) usage("--cases takes one list of cases");
    std::vector<Case> cases;
    const std::string list = argv[2];
    for (size_t begin = 0; begin <= list.size();) {
        const size_t end = std::min(list.find(',', begin), list.size());
        cases.push_back(parseCase(list.substr(begin, end - begin)));
        begin = end + 1;
    }
    return cases;
}

int main(int argc, char** argv) {
    const std::vector<Case> cases = parseArguments(argc, argv);
    for (const Case c : cases) {
        Problem problem(c);
        for (const Variant& variant : kVariants) {
            if (!problem.matchesReference(variant)) return EXIT_FAILURE;  // nothing was timed
        }
    }
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("GPU: %s (compute capability %d.%d)\n\n", device.name, device.major, device.minor);
    std::printf("%-16s %4s %11s %11s %13s %13s %14s\n", "case", "tile", "time (ms)", "GFLOP/s",
                "loads/thread", "shared/block", "occupancy (%)");
    std::printf("---------------- ---- ----------- ----------- ------------- ------------- "
                "--------------\n");
    for (const Case c : cases) {
        const Problem problem(c);
        for (const Variant& variant : kVariants) printRow(variant, problem, device);
    }
    std::printf("\nall %zu cases match the CPU reference at every element\n", cases.size());
    return EXIT_SUCCESS;
}
