// Counting as the hardware's counters do: a request is one instruction executed by a warp.
#pragma once

#include <unordered_map>
#include <vector>

#include "log.h"

namespace simt {

struct SiteCount {
  u32 site = 0;
  bool shared = false;
  u64 requests = 0, lanes = 0;
  u64 sectors = 0;    // global: 32-byte sectors
  u64 conflicts = 0;  // shared: passes over the banks beyond the first
  u32 worst = 0;      // most sectors, or most ways of a conflict, in one request
};

// The counts of all sites of a worker.
class Sites {
 public:
  Sites() : index_(kSlots, 0) {}
  SiteCount& of(u32 site, bool shared);
  void clear();
  void merge(const Sites& other);
  const std::vector<SiteCount>& all() const { return counts_; }

 private:
  static constexpr u32 kSlots = 1u << 14;
  std::vector<u32> index_;
  std::vector<SiteCount> counts_;
};

// Per thread: loads and stores of global memory, in instructions and in words of four bytes.
struct Traffic {
  u64 threads = 0, loads = 0, stores = 0, words = 0;
  u32 most_loads = 0, most_stores = 0, most_words = 0;
  void merge(const Traffic& other);
};

u32 sectors_of(const u32* words, u32 lanes);
// Passes beyond the first that 32 banks of four bytes need, `width` words a lane.
// `*ways` becomes the number of different words that meet on the fullest bank.
u32 conflicts_of(const u32* words, const u8* lane_of, u32 lanes, u32 width, u32* ways);

// One instruction executed by a warp, with the lanes that took part.
struct Instance {
  u32 site, lanes;
  u32 words[kWarp];
  u8 lane_of[kWarp];
};

// Matches the accesses of lanes that went different ways. Two accesses belong together if they
// are the same occurrence of the same site in the same iteration of the same loops.
class Matcher {
 public:
  void clear();
  // The instance each entry of one lane's log belongs to; kNone for marks.
  static constexpr u32 kNone = ~0u;
  void place(const u32* sites, const u32* words, u32 length, std::vector<u32>& places);
  std::vector<Instance> instances;

 private:
  std::unordered_map<u64, u32> known_, occurrences_;
};

}  // namespace simt
