#include "fault.h"

namespace simt {

const char* fault_name(Fault fault) {
  switch (fault) {
    case Fault::kOutOfBounds: return "out-of-bounds";
    case Fault::kUninitialized: return "uninitialized-shared";
    case Fault::kStale: return "stale-shared";
    case Fault::kRace: return "race";
    case Fault::kDivergence: return "barrier-divergence";
    case Fault::kWarpDivergence: return "warp-divergence";
    case Fault::kHang: return "hang";
    case Fault::kStack: return "stack";
    case Fault::kMisaligned: return "misaligned";
    case Fault::kInputWritten: return "input-written";
    case Fault::kOutputRead: return "output-read";
    case Fault::kAssert: return "assert";
    case Fault::kTrap: return "trap";
    case Fault::kCrash: return "crash";
    case Fault::kSharedSize: return "shared-size";
  }
  return "unknown";
}

void Faults::add(const Seen& seen) {
  const auto [at, fresh] =
      seen_.try_emplace({seen.fault, seen.site, seen.other_site, seen.array}, seen);
  if (fresh) return;
  Seen& first = at->second;
  const u64 count = first.count + seen.count;
  if (std::tie(seen.block, seen.thread, seen.index) <
      std::tie(first.block, first.thread, first.index)) {
    first = seen;
  }
  first.count = count;
}

void Faults::merge(const Faults& other) {
  other.each([this](const Seen& seen) { add(seen); });
}

}  // namespace simt
