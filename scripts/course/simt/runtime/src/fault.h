// What the runner has seen go wrong, as plain facts; the words are found elsewhere.
#pragma once

#include <map>
#include <tuple>

#include "log.h"

namespace simt {

enum class Fault : u32 {
  kOutOfBounds,
  kUninitialized,
  kStale,
  kRace,
  kDivergence,
  kWarpDivergence,
  kHang,
  kStack,
  kMisaligned,
  kInputWritten,
  kOutputRead,
  kAssert,
  kTrap,
  kCrash,
  kSharedSize,
};
const char* fault_name(Fault fault);

enum class Space : u32 { kNone, kGlobal, kShared, kWild };

struct Seen {
  Fault fault{};
  u32 site = 0, other_site = 0;    // instructions
  u64 block = 0, other_block = 0;  // linear
  u32 thread = 0, other_thread = 0;
  Space space = Space::kNone;
  int array = -1;   // buffer or shared array, by its number in that space
  long index = 0;   // element of four bytes, from the array's start
  u64 number = 0, total = 0;  // depends on the fault: epochs, threads at a barrier, loop iteration
  u64 count = 1;
};

// One entry for each fault and place, the first in block order, with the number of times.
class Faults {
 public:
  void add(const Seen& seen);
  void merge(const Faults& other);
  void clear() { seen_.clear(); }
  bool empty() const { return seen_.empty(); }
  template <class F>
  void each(F f) const {
    for (const auto& [key, seen] : seen_) f(seen);
  }

 private:
  using Key = std::tuple<Fault, u32, u32, int>;
  std::map<Key, Seen> seen_;
};

}  // namespace simt
