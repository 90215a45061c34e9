// The compiler's instrumentation calls these at each access (gcc and clang, -fsanitize=thread).
// This is the hot path of the whole check: a range test, two stores, one compare.
#include <cstring>

#include "../include/simt/vectors.h"
#include "worker.h"

namespace simt {

thread_local constinit Hot hot{};

namespace {

[[gnu::always_inline]] inline void record(const void* p, const void* from, u32 code, u32 bytes) {
  Hot& w = hot;
  const auto address = reinterpret_cast<uintptr_t>(p);
  const u32 site = u32(reinterpret_cast<uintptr_t>(from) - w.text) << 5 | code;
  u32 word;
  if (address - w.shared_base < w.shared_span) {
    word = u32(address - w.shared_base) >> 2 | kSharedBit;
  } else if (address - w.arena_base < w.arena_span) {
    word = u32((address - w.arena_base) >> 2);
  } else {
    if (w.worker) w.worker->elsewhere(p, site);
    return;
  }
  if (bytes > 1 && (address & (bytes - 1))) [[unlikely]] {
    return w.worker->report(Fault::kMisaligned, site, word);
  }
  u32* cursor = w.cursor;
  cursor[0] = site;
  cursor[kWords] = word;
  w.cursor = ++cursor;
  if (cursor == w.limit) [[unlikely]] w.worker->log_full();
}

void record_range(const void* p, size_t size, const void* from, Kind kind) {
  const char* at = static_cast<const char*>(p);
  for (; size >= 4; size -= 4, at += 4) record(at, from, site_code(kind, 2), 4);
  for (; size; --size, ++at) record(at, from, site_code(kind, 0), 1);
}

}  // namespace

void touch(const void* address, u32 site) {
  record(address, reinterpret_cast<const void*>(hot.text + pc_of(site)), site & 31u, bytes_of(site));
}

}  // namespace simt

using namespace simt;

#define FROM __builtin_return_address(0)
#define ACCESS(Name, K, Log2)                                                            \
  void __tsan_##Name(void* p) { record(p, FROM, site_code(K, Log2), 1u << Log2); }       \
  void __tsan_unaligned_##Name(void* p) { record(p, FROM, site_code(K, Log2), 1u << Log2); } \
  void __tsan_volatile_##Name(void* p) { record(p, FROM, site_code(K, Log2), 1u << Log2); }
#define WIDTH(Bytes, Log2) ACCESS(read##Bytes, kRead, Log2) ACCESS(write##Bytes, kWrite, Log2)

extern "C" {

WIDTH(1, 0)
WIDTH(2, 1)
WIDTH(4, 2)
WIDTH(8, 3)
WIDTH(16, 4)
void __tsan_read_range(void* p, size_t size) { record_range(p, size, FROM, kRead); }
void __tsan_write_range(void* p, size_t size) { record_range(p, size, FROM, kWrite); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

simt_raw8 simt_load8(const void* p) {
  record(p, FROM, site_code(kRead, 3), 8);
  simt_raw8 raw;
  memcpy(&raw, p, sizeof raw);
  return raw;
}
simt_raw16 simt_load16(const void* p) {
  record(p, FROM, site_code(kRead, 4), 16);
  simt_raw16 raw;
  memcpy(&raw, p, sizeof raw);
  return raw;
}
void simt_store8(void* p, simt_raw8 raw) {
  record(p, FROM, site_code(kWrite, 3), 8);
  memcpy(p, &raw, sizeof raw);
}
void simt_store16(void* p, simt_raw16 raw) {
  record(p, FROM, site_code(kWrite, 4), 16);
  memcpy(p, &raw, sizeof raw);
}

// Where the compiler leaves these to the C library, the link wraps them (toolchain.py).
void* __tsan_memcpy(void* to, const void* from, size_t size) {
  record_range(from, size, FROM, kRead);
  record_range(to, size, FROM, kWrite);
  return memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
  record_range(from, size, FROM, kRead);
  record_range(to, size, FROM, kWrite);
  return memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, size_t size) {
  record_range(to, size, FROM, kWrite);
  return memset(to, value, size);
}

void* __wrap_memcpy(void* to, const void* from, size_t size) {
  return hot.worker ? __tsan_memcpy(to, from, size) : memcpy(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, size_t size) {
  return hot.worker ? __tsan_memmove(to, from, size) : memmove(to, from, size);
}
void* __wrap_memset(void* to, int value, size_t size) {
  return hot.worker ? __tsan_memset(to, value, size) : memset(to, value, size);
}

void simt_mark(int loop, unsigned iteration) {
  Hot& w = hot;
  if (!w.cursor) return;
  u64& peak = w.worker->loop_peak[loop & 255];
  if (iteration > peak) peak = iteration;
  u32* cursor = w.cursor;
  cursor[0] = u32(loop) << 5 | kMark;
  cursor[kWords] = iteration;
  w.cursor = ++cursor;
  if (cursor == w.limit) w.worker->log_full();
}
void simt_mark_end(int loop) {
  Hot& w = hot;
  if (!w.cursor) return;
  u32* cursor = w.cursor;
  cursor[0] = u32(loop) << 5 | kLoopEnd | kMark;
  cursor[kWords] = 0;
  w.cursor = ++cursor;
  if (cursor == w.limit) w.worker->log_full();
}

}  // extern "C"
