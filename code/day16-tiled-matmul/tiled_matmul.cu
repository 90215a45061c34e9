// Two ways to multiply matrices, C = A * B, that differ only in how often they read global memory.
// Prints a table of times and loads, and only after both kernels were found right at every element.
//
//   nvcc -std=c++17 -O3 -arch=sm_75 -o tiled_matmul tiled_matmul.cu
//   ./tiled_matmul [--cases 256x256x256,611x613x617]

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

// --8<-- [start:tile]
constexpr int kTileDim = 16;  // tile width, and block width: one thread an output element
// --8<-- [end:tile]
constexpr int kWarmupLaunches = 10;
constexpr int kTimedLaunches = 100;
constexpr int kMaxA = 2;  // inputs are whole numbers, |a| <= kMaxA and |b| <= kMaxB
constexpr int kMaxB = 3;
constexpr size_t kMaxDim = 8192;
static_assert(kMaxA * kMaxB * kMaxDim < (1u << 24));  // every sum is a whole number a float holds

// --8<-- [start:cases]
struct Case {
    size_t m, n, k;  // A is m x k, B is k x n, C is m x n
};

constexpr Case kCases[] = {{256, 256, 256}, {512, 512, 512}, {611, 613, 617}};

constexpr bool dividesOnEveryAxis(Case c) {
    return c.m % kTileDim == 0 && c.n % kTileDim == 0 && c.k % kTileDim == 0;
}
constexpr bool dividesOnNoAxis(Case c) {
    return c.m % kTileDim != 0 && c.n % kTileDim != 0 && c.k % kTileDim != 0;
}
static_assert(dividesOnEveryAxis(kCases[0]) && dividesOnEveryAxis(kCases[1]));
static_assert(dividesOnNoAxis(kCases[2]));
// --8<-- [end:cases]

// --8<-- [start:naive]
__global__ void matmulNaive(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    const size_t row = blockIdx.y * size_t{kTileDim} + threadIdx.y;
    const size_t col = blockIdx.x * size_t{kTileDim} + threadIdx.x;
    if (row >= m || col >= n) return;  // no barrier below, so a thread may leave

    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p) {
        sum += a[row * k + p] * b[p * n + col];
    }
    c[row * n + col] = sum;
}
// --8<-- [end:naive]

// --8<-- [start:tiled]
__global__ void matmulTiled(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, size_t m, size_t n, size_t k) {
    __shared__ float tileA[kTileDim][kTileDim];
    __shared__ float tileB[kTileDim][kTileDim];

    const size_t row = blockIdx.y * size_t{kTileDim} + threadIdx.y;
    const size_t col = blockIdx.x * size_t{kTileDim} + threadIdx.x;
    const size_t steps = (k + kTileDim - 1) / kTileDim;

    float sum = 0.0f;
    for (size_t step = 0; step < steps; ++step) {
        const size_t aCol = step * kTileDim + threadIdx.x;
        const size_t bRow = step * kTileDim + threadIdx.y;
        // Every thread writes its two cells in every step; off the edge it writes the zero.
        tileA[threadIdx.y][threadIdx.x] = row < m && aCol < k ? a[row * k + aCol] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = bRow < k && col < n ? b[bRow * n + col] : 0.0f;
        __syncthreads();  // the tiles are full before anyone reads them

        for (int p = 0; p < kTileDim; ++p) {
            sum += tileA[threadIdx.y][p] * tileB[p][threadIdx.x];
        }
        __syncthreads();  // everyone has read before anyone overwrites
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
// --8<-- [end:tiled]

using Kernel = void (*)(const float*, const float*, float*, size_t, size_t, size_t);

struct Variant {
    const char* name;
    Kernel kernel;
    size_t (*loadsPerThread)(size_t k);
};

// --8<-- [start:loads]
// What one thread reads from global memory: counted from the source, not measured.
size_t loadsNaive(size_t k) { return 2 * k; }
size_t loadsTiled(size_t k) { return 2 * ((k + kTileDim - 1) / kTileDim); }
// --8<-- [end:loads]

const Variant kNaive{"naive", matmulNaive, loadsNaive};
const Variant kTiled{"tiled", matmulTiled, loadsTiled};

void check(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "tiled_matmul.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check((call), #call, __LINE__)

class DeviceBuffer {
  public:
    explicit DeviceBuffer(size_t count) : count_(count) {
        CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(float)));
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { cudaFree(data_); }

    float* data() const { return data_; }
    void upload(const std::vector<float>& host) {
        CHECK(cudaMemcpy(data_, host.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    std::vector<float> download() const {
        std::vector<float> host(count_);
        CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

  private:
    size_t count_;
    float* data_ = nullptr;
};

struct Problem {
    Case size;
    std::vector<float> a, b, expected;
    DeviceBuffer deviceA, deviceB, deviceC;

    explicit Problem(Case c)
        : size(c), a(c.m * c.k), b(c.k * c.n), expected(c.m * c.n),
          deviceA(a.size()), deviceB(b.size()), deviceC(expected.size()) {}
};

// Whole numbers so small that both processors are exact: a mismatch can only be a wrong index.
void fill(std::vector<float>& values, int largest, unsigned seed) {
    std::mt19937 random(seed);
    const unsigned choices = 2 * static_cast<unsigned>(largest) + 1;
    for (float& value : values) {
        value = static_cast<float>(static_cast<int>(random() % choices) - largest);
    }
}

// One thread, no tiles, the loops in the order that reads B row by row.
void referenceMatmul(Problem& problem) {
    const auto [m, n, k] = problem.size;
    std::fill(problem.expected.begin(), problem.expected.end(), 0.0f);
    for (size_t i = 0; i < m; ++i) {
        for (size_t p = 0; p < k; ++p) {
            for (size_t j = 0; j < n; ++j) {
                problem.expected[i * n + j] += problem.a[i * k + p] * problem.b[p * n + j];
            }
        }
    }
}

void prepare(Problem& problem) {
    fill(problem.a, kMaxA, 16);
    fill(problem.b, kMaxB, 61);
    problem.deviceA.upload(problem.a);
    problem.deviceB.upload(problem.b);
    referenceMatmul(problem);
}

std::string caseName(Case c) {
    return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k);
}

void launch(const Variant& variant, const Problem& problem) {
    const auto [m, n, k] = problem.size;
    const dim3 block(kTileDim, kTileDim);
    const dim3 grid(static_cast<unsigned>((n + kTileDim - 1) / kTileDim),
                    static_cast<unsigned>((m + kTileDim - 1) / kTileDim));
    variant.kernel<<<grid, block>>>(problem.deviceA.data(), problem.deviceB.data(),
                                    problem.deviceC.data(), m, n, k);
    CHECK(cudaGetLastError());
}

bool matchesReference(const Variant& variant, Problem& problem) {
    const std::vector<float> poison(problem.expected.size(),
                                    std::numeric_limits<float>::quiet_NaN());
    problem.deviceC.upload(poison);
    launch(variant, problem);
    const std::vector<float> actual = problem.deviceC.download();
    for (size_t i = 0; i < actual.size(); ++i) {
        if (actual[i] == problem.expected[i]) continue;  // false for NaN, so NaN is a mismatch
        std::fprintf(stderr, "MISMATCH: case %s, kernel %s, C[%zu][%zu] is %g, expected %g\n",
                     caseName(problem.size).c_str(), variant.name, i / problem.size.n,
                     i % problem.size.n, actual[i], problem.expected[i]);
        return false;
    }
    return true;
}

double medianMilliseconds(const Variant& variant, const Problem& problem) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < kWarmupLaunches; ++i) launch(variant, problem);

    std::vector<float> times(kTimedLaunches);
    for (float& time : times) {
        CHECK(cudaEventRecord(start));
        launch(variant, problem);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&time, start, stop));
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::sort(times.begin(), times.end());
    return (times[(kTimedLaunches - 1) / 2] + times[kTimedLaunches / 2]) / 2.0;
}

double printRow(const Variant& variant, const Problem& problem) {
    const auto [m, n, k] = problem.size;
    const double milliseconds = medianMilliseconds(variant, problem);
    const double gflops = 2.0 * m * n * k / (milliseconds * 1e6);
    std::printf("%-16s %-7s %11.3f %11.1f %13zu\n", caseName(problem.size).c_str(), variant.name,
                milliseconds, gflops, variant.loadsPerThread(k));
    return milliseconds;
}

void printComparison(Case c, double naive, double tiled) {
    std::printf("%-16s tiled is %.2fx faster and reads %.1fx fewer floats per thread\n", "",
                naive / tiled, static_cast<double>(loadsNaive(c.k)) / loadsTiled(c.k));
}

[[noreturn]] void usage(const std::string& problem) {
    std::fprintf(stderr, "tiled_matmul: %s\nusage: tiled_matmul [--cases MxNxK[,MxNxK ...]]\n",
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

void printHeader() {
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("GPU: %s (compute capability %d.%d)\n", device.name, device.major, device.minor);
    std::printf("tile %d x %d, %d threads per block, %zu bytes of shared memory per block\n\n",
                kTileDim, kTileDim, kTileDim * kTileDim, 2 * kTileDim * kTileDim * sizeof(float));
    std::printf("%-16s %-7s %11s %11s %13s\n", "case", "kernel", "time (ms)", "GFLOP/s",
                "loads/thread");
    std::printf("---------------- ------- ----------- ----------- -------------\n");
}

int main(int argc, char** argv) {
    std::vector<std::unique_ptr<Problem>> problems;
    for (const Case c : parseArguments(argc, argv)) {
        problems.push_back(std::make_unique<Problem>(c));
        Problem& problem = *problems.back();
        prepare(problem);
        if (!matchesReference(kNaive, problem) || !matchesReference(kTiled, problem)) {
            return EXIT_FAILURE;  // nothing was timed, nothing is printed
        }
    }
    printHeader();
    for (const auto& problem : problems) {
        const double naive = printRow(kNaive, *problem);
        const double tiled = printRow(kTiled, *problem);
        printComparison(problem->size, naive, tiled);
    }
    std::printf("\nall %zu cases match the CPU reference at every element\n", problems.size());
    return EXIT_SUCCESS;
}
