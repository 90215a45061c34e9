// A worker's memory and its faults; how a launch ends early.
#include "worker.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace simt {

Worker::Worker()
    : stacks(kMaxThreads), logs_(size_t{kWarp} * kStride) {
  void* map = mmap(nullptr, kSharedRoom, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) abort();
  shared_ = static_cast<char*>(map);
}

Worker::~Worker() { munmap(shared_, kSharedRoom); }

Seen Worker::here(Fault fault, u32 site) const {
  Seen seen;
  seen.fault = fault;
  seen.site = site;
  seen.block = block;
  seen.thread = lane ? lane->thread : 0;
  return seen;
}

// An access to one word that should not have been made, or not so.
void Worker::report(Fault fault, u32 site, u32 word) {
  Seen seen = here(fault, site);
  if (word & kSharedBit) {
    word &= ~kSharedBit;
    seen.space = Space::kShared;
    for (size_t i = 0; i < arrays.size(); ++i) {  // the last that starts at or before the word
      if (arrays[i].offset / 4 > word) continue;
      seen.array = int(i);
      seen.index = long(word - arrays[i].offset / 4);
    }
  } else {
    const Arena& arena = Arena::get();
    seen.space = Space::kGlobal;
    seen.array = arena.find(word);
    if (seen.array < 0) seen.array = arena.nearest(word);
    if (seen.array >= 0) {
      seen.index = long(word) - long(arena.buffers()[size_t(seen.array)]->first);
    }
  }
  if (fault == Fault::kUninitialized) {
    lane->doubt = seen;  // a fault once the thread stores something to global memory
  } else {
    faults.add(seen);
  }
}

// Neither shared memory nor a buffer.
void Worker::elsewhere(const void* p, u32 site) {
  if (!task || !task->watch || !lane) return;
  const auto address = reinterpret_cast<uintptr_t>(p);
  const auto within = [address](const void* low, const void* high) {
    return address >= reinterpret_cast<uintptr_t>(low) && address < reinterpret_cast<uintptr_t>(high);
  };
  if (within(stacks.low(lane->thread), stacks.high(lane->thread))) return;
  if (address >= task->module_low && address < task->module_high) {
    if (task->timed_out) hang(site);  // a loop may wait for a variable of the device
    return;
  }
  if (is_builtin(address)) return;  // clang instruments reading them
  if (stacks.in_guard(p)) return;  // the stack has overflowed; the access itself will say so
  Seen seen = here(Fault::kOutOfBounds, site);
  seen.space = Space::kWild;
  seen.number = address;
  const Arena& arena = Arena::get();
  const long away = long(address) - long(reinterpret_cast<uintptr_t>(arena.base()));
  if (away > -(1L << 36) && away < 1L << 36 && !arena.buffers().empty()) {
    const bool below = away < 0;
    seen.array = below ? 0 : int(arena.buffers().size()) - 1;
    seen.index = (away - long(arena.buffers()[size_t(seen.array)]->first) * 4) / 4;
  }
  faults.add(seen);
  give_up();
}

void Worker::give_up() {
  task->stop = true;
  siglongjmp(escape, 1);
}

void Worker::hang(u32 site) {
  Seen seen = here(Fault::kHang, site);
  u64 most = 1000;  // fewer iterations are no sign of a loop without end
  for (int loop = 0; loop < 256; ++loop) {
    if (loop_peak[loop] <= most) continue;
    most = loop_peak[loop];
    seen.array = loop;
    seen.number = most;
  }
  faults.add(seen);
  give_up();
}

u32 Worker::last_site() const {
  const u32* start = logs_.data() + size_t{lane->thread % kWarp} * kStride;
  return hot.cursor && hot.cursor > start ? hot.cursor[-1] : 0;
}

SharedArray& Worker::new_array(int id, size_t bytes, const char* name, int line, size_t columns) {
  // Each array is followed by a gap of its own size, so that stray accesses are seen as such.
  const u32 after = arrays.empty()
                        ? 1024
                        : u32((arrays.back().offset + 2 * arrays.back().bytes + 1023) & ~size_t{1023});
  if (after + 2 * bytes > kSharedRoom) {
    Seen seen = here(Fault::kSharedSize, 0);
    seen.number = u64(line);
    seen.total = bytes;
    faults.add(seen);
    give_up();
  }
  arrays.push_back({id, bytes, name, line, columns, after});
  std::fill_n(reinterpret_cast<u8*>(shared_) + after, bytes, u8{0xff});
  if (task->watch) std::fill_n(cells_.begin() + after / 4, (bytes + 3) / 4, Cell{});
  return arrays.back();
}

void* Worker::shared_array(int id, size_t bytes, const char* name, int line, size_t columns) {
  for (const SharedArray& array : arrays) {
    if (array.id == id && array.bytes == bytes) return shared_ + array.offset;
  }
  static_bytes_ += bytes;
  if (static_bytes_ > kStaticShared) {
    Seen seen = here(Fault::kSharedSize, 0);
    seen.number = u64(line);
    seen.total = static_bytes_;
    faults.add(seen);
    give_up();
  }
  return shared_ + new_array(id, bytes, name, line, columns).offset;
}

void* Worker::dynamic_array(const char* name) {
  for (const SharedArray& array : arrays) {
    if (array.id < 0) return shared_ + array.offset;
  }
  return shared_ + new_array(-1, task->shared_bytes, name, 0, 0).offset;
}

}  // namespace simt
