// Global memory: one reserved range with the kernel's buffers in it, far apart.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "log.h"

namespace simt {

// Who touched a word of a buffer last, for races between the threads of one launch.
struct GlobalCell {
  u32 writer, written;  // thread of the grid plus one; epoch, with kAtomicBit
  u32 reader, read;
};
constexpr u32 kAtomicBit = 1u << 31;
constexpr u32 kManyReaders = 0xffffffffu;

struct Buffer {
  std::string name;
  u32 first, words;  // in words from the arena's start
  size_t bytes;
  size_t columns = 0;  // words in a row, where it is a matrix
  bool input;
  std::vector<GlobalCell> cells;  // only where the kernel may write
  std::vector<u8> seen;           // by word, where reads of an input are looked for
  float* data() const;
  std::atomic<u32> known{0};      // so many of the first words have all been seen
  bool is_known(u32 last) const { return last - first < known.load(std::memory_order_relaxed); }
  void see(u32 word, u32 last) {
    if (seen.empty()) return;
    for (u32 i = word; i <= last; ++i) seen[i - first] = 1;
  }
};

class Arena {
 public:
  static constexpr size_t kReserve = size_t{3} << 30;
  static constexpr size_t kGuard = size_t{1} << 20;  // between buffers
  static Arena& get();

  char* base() const { return base_; }
  size_t span() const { return used_; }
  // Aligned to 256 bytes, as cudaMalloc does. Null when the reserve is used up.
  void* allocate(const std::string& name, size_t bytes, bool input);
  bool release(void* pointer);
  void track(Buffer& buffer);  // gives it cells, all untouched
  void reset();
  const std::vector<std::unique_ptr<Buffer>>& buffers() const { return buffers_; }
  void learn();  // moves the inputs' `known` on; once a block, so that most reads need no look
  int find(u32 word) const;     // the buffer that holds a word, or -1
  int nearest(u32 word) const;  // the buffer a stray access most likely meant

 private:
  Arena();
  char* base_;
  size_t used_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace simt
