// The two kernels on whatever OpenCL the loader finds (PoCL, Oclgrind), timed and checked.
//
//   opencl_peer M N K     prints: device, seconds of the naive kernel, seconds of the tiled one
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char* const kSource = R"(
__kernel void naive(__global const float* a, __global const float* b, __global float* c, ulong m,
                    ulong n, ulong k) {
  size_t row = get_global_id(1), col = get_global_id(0);
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (ulong p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
__kernel void tiled(__global const float* a, __global const float* b, __global float* c, ulong m,
                    ulong n, ulong k) {
  __local float ta[16][16], tb[16][16];
  size_t row = get_global_id(1), col = get_global_id(0), x = get_local_id(0), y = get_local_id(1);
  float sum = 0.0f;
  for (ulong t = 0; t < (k + 15) / 16; ++t) {
    ta[y][x] = row < m && t * 16 + x < k ? a[row * k + t * 16 + x] : 0.0f;
    tb[y][x] = t * 16 + y < k && col < n ? b[(t * 16 + y) * n + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < 16; ++p) sum += ta[y][p] * tb[p][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
)";

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const cl_ulong m = strtoull(argv[1], nullptr, 10), n = strtoull(argv[2], nullptr, 10),
                 k = strtoull(argv[3], nullptr, 10);
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, nullptr) ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr)) {
    return 3;
  }
  char name[128] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
  cl_int error;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  if (clBuildProgram(program, 1, &device, "", nullptr, nullptr)) return 4;

  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(int(i * 7 % 5) - 2);
  for (size_t i = 0; i < b.size(); ++i) b[i] = float(int(i * 3 % 7) - 3);
  const auto buffer = [&](std::vector<float>& from, cl_mem_flags flags) {
    return clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, from.size() * 4, from.data(),
                          &error);
  };
  cl_mem da = buffer(a, CL_MEM_READ_ONLY), db = buffer(b, CL_MEM_READ_ONLY);
  cl_mem dc = buffer(c, CL_MEM_READ_WRITE);
  printf("%s", name);
  for (const char* kernel_name : {"naive", "tiled"}) {
    cl_kernel kernel = clCreateKernel(program, kernel_name, &error);
    const cl_mem buffers[] = {da, db, dc};
    const cl_ulong sizes[] = {m, n, k};
    for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(kernel, 3 + i, sizeof(cl_ulong), &sizes[i]);
    const size_t local[] = {16, 16}, global[] = {(n + 15) / 16 * 16, (m + 15) / 16 * 16};
    const size_t one[] = {16, 16};
    // A first launch on one block, so that compiling is not timed.
    clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, one, local, 0, nullptr, nullptr);
    clFinish(queue);
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();  // of all threads
    if (clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr)) {
      return 6;
    }
    clFinish(queue);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double processor = double(std::clock() - used) / CLOCKS_PER_SEC;
    clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, c.size() * 4, c.data(), 0, nullptr, nullptr);
    for (size_t row = 0; row < m; row += 97) {
      for (size_t col = 0; col < n; ++col) {
        float sum = 0;
        for (size_t p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
        if (sum != c[row * n + col]) return 7;
      }
    }
    printf(" | %.4f %.4f", seconds.count(), processor);
  }
  printf("\n");
  return 0;
}
