#include "arena.h"

#include <sys/mman.h>

#include <cstdlib>

namespace simt {

float* Buffer::data() const { return reinterpret_cast<float*>(Arena::get().base()) + first; }

Arena& Arena::get() {
  static Arena arena;
  return arena;
}

Arena::Arena() {
  void* map = mmap(nullptr, kReserve, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) abort();
  base_ = static_cast<char*>(map);
}

void* Arena::allocate(const std::string& name, size_t bytes, bool input) {
  const size_t start = (used_ ? used_ : kGuard + 255) & ~size_t{255};
  if (bytes > kReserve - kGuard - start) return nullptr;
  auto buffer = std::make_unique<Buffer>();
  buffer->name = name;
  buffer->first = u32(start / 4);
  buffer->words = u32((bytes + 3) / 4);
  buffer->bytes = bytes;
  buffer->input = input;
  buffers_.push_back(std::move(buffer));
  used_ = start + bytes + kGuard;
  return base_ + start;
}

bool Arena::release(void* pointer) {
  if (!pointer) return true;
  for (auto at = buffers_.begin(); at != buffers_.end(); ++at) {
    if ((*at)->data() != pointer) continue;
    const size_t page = 4096, start = size_t((*at)->first) * 4;
    const size_t first = (start + page - 1) / page * page, last = (start + (*at)->bytes) / page * page;
    if (last > first) madvise(base_ + first, last - first, MADV_DONTNEED);
    if (start + (*at)->bytes + kGuard == used_) used_ = start;  // the last one's room is free again
    buffers_.erase(at);
    return true;
  }
  return false;
}

void Arena::learn() {
  for (const auto& buffer : buffers_) {
    u32 known = buffer->known.load(std::memory_order_relaxed);
    while (known < buffer->seen.size() && buffer->seen[known]) ++known;
    buffer->known.store(known, std::memory_order_relaxed);
  }
}

void Arena::track(Buffer& buffer) { buffer.cells.assign(buffer.words, GlobalCell{}); }

void Arena::reset() {
  if (used_) madvise(base_, (used_ + 4095) & ~size_t{4095}, MADV_DONTNEED);
  used_ = 0;
  buffers_.clear();
}

int Arena::find(u32 word) const {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (word - buffers_[i]->first < buffers_[i]->words) return int(i);
  }
  return -1;
}

int Arena::nearest(u32 word) const {
  int best = -1;
  u32 least = ~0u;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& b = *buffers_[i];
    const u32 away = word < b.first ? b.first - word : word - b.first - b.words + 1;
    if (away < least) least = away, best = int(i);
  }
  return best;
}

}  // namespace simt
