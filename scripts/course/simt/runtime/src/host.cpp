// The host side of the CUDA runtime, for files that are run from their own main.
#include "../include/simt/host.h"

#include <chrono>
#include <cstdio>
#include <cstring>

#include "arena.h"
#include "protocol.h"

namespace {
cudaError_t last_error = cudaSuccess;
}

extern "C" {

void* simt_malloc(size_t bytes) {
  return bytes ? simt::Arena::get().allocate("", bytes, false) : nullptr;
}
bool simt_free(void* pointer) { return simt::Arena::get().release(pointer); }

cudaError_t simt_set_error(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}
cudaError_t simt_get_error(bool clear) {
  const cudaError_t error = last_error;
  if (clear) last_error = cudaSuccess;
  return error;
}
double simt_now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
  }
  return "cudaErrorUnknown";
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
  }
  return "unknown error";
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return simt_set_error(cudaErrorInvalidDevice);
  memset(static_cast<void*>(p), 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "CPU check");
  p->major = 7;
  p->minor = 5;
  p->totalGlobalMem = simt::Arena::kReserve;
  p->sharedMemPerBlock = 48 * 1024;
  p->sharedMemPerBlockOptin = 227 * 1024;
  p->sharedMemPerMultiprocessor = 228 * 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000;
  p->memoryBusWidth = 256;
  p->l2CacheSize = 4 << 20;
  p->multiProcessorCount = 40;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  p->totalConstMem = 65536;
  p->concurrentKernels = p->managedMemory = p->unifiedAddressing = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device) != cudaSuccess) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
  }
  return cudaSuccess;
}

void simt_entered(const char* kernel) { simt::note_entered(kernel); }
void simt_launch(const simt::Launch* launch) { simt::run_own_launch(*launch); }

}  // extern "C"
