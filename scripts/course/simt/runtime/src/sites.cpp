#include "sites.h"

#include <algorithm>

namespace simt {

SiteCount& Sites::of(u32 site, bool shared) {
  u32 slot = (site ^ site >> 14) * 2654435761u >> 18;
  while (index_[slot]) {
    SiteCount& count = counts_[index_[slot] - 1];
    if (count.site == site && count.shared == shared) return count;
    slot = (slot + 1) % kSlots;
  }
  if (counts_.size() >= kSlots / 2) return counts_.back();  // no source has so many
  counts_.push_back({});
  counts_.back().site = site;
  counts_.back().shared = shared;
  index_[slot] = u32(counts_.size());
  return counts_.back();
}

void Sites::clear() {
  std::fill(index_.begin(), index_.end(), 0);
  counts_.clear();
}

void Sites::merge(const Sites& other) {
  for (const SiteCount& from : other.counts_) {
    SiteCount& to = of(from.site, from.shared);
    to.requests += from.requests;
    to.lanes += from.lanes;
    to.sectors += from.sectors;
    to.conflicts += from.conflicts;
    to.worst = std::max(to.worst, from.worst);
  }
}

void Traffic::merge(const Traffic& other) {
  threads += other.threads;
  loads += other.loads;
  stores += other.stores;
  words += other.words;
  most_loads = std::max(most_loads, other.most_loads);
  most_stores = std::max(most_stores, other.most_stores);
  most_words = std::max(most_words, other.most_words);
}

u32 sectors_of(const u32* words, u32 lanes) {
  u32 seen[kWarp], count = 0;
  for (u32 i = 0; i < lanes; ++i) {
    const u32 sector = words[i] >> 3;
    u32 j = count;
    while (j > 0 && seen[j - 1] != sector) --j;
    if (j == 0) seen[count++] = sector;
  }
  return count;
}

u32 conflicts_of(const u32* words, const u8* lane_of, u32 lanes, u32 width, u32* ways) {
  const u32 group_lanes = kWarp / width;  // lanes served together
  u32 passes = 0;
  *ways = 1;
  for (u32 start = 0; start < lanes;) {
    const u32 group = lane_of[start] / group_lanes;
    u32 held[kWarp * 4], count = 0, on_bank[kWarp] = {}, most = 1;
    for (; start < lanes && lane_of[start] / group_lanes == group; ++start) {
      for (u32 i = 0; i < width; ++i) {
        const u32 word = words[start] + i;
        if (std::find(held, held + count, word) != held + count) continue;
        held[count++] = word;
        most = std::max(most, ++on_bank[word % kWarp]);
      }
    }
    passes += most - 1;
    *ways = std::max(*ways, most);
  }
  return passes;
}

void Matcher::clear() {
  instances.clear();
  known_.clear();
}

namespace {
u64 mix(u64 a, u64 b) {
  u64 h = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  return h ^ h >> 32;
}
}  // namespace

void Matcher::place(const u32* sites, const u32* words, u32 length, std::vector<u32>& places) {
  struct Level {
    u32 loop;
    u64 outside;  // the region that the loop is in
  };
  std::vector<Level> loops;
  u64 region = 1;
  occurrences_.clear();
  places.assign(length, kNone);
  for (u32 j = 0; j < length; ++j) {
    if (kind_of(sites[j]) == kMark) {
      const u32 loop = sites[j] >> 5;
      while (!loops.empty() && loops.back().loop != loop &&
             std::any_of(loops.begin(), loops.end(), [&](Level l) { return l.loop == loop; })) {
        loops.pop_back();
      }
      const bool inside = !loops.empty() && loops.back().loop == loop;
      if (sites[j] & kLoopEnd) {
        if (!inside) continue;  // it began in an earlier interval
        region = loops.back().outside;
        loops.pop_back();
      } else {
        if (!inside) loops.push_back({loop, region});
        region = mix(mix(loops.back().outside, loop + 1), words[j] + 1);
      }
      continue;
    }
    const u64 key = mix(region, sites[j]);
    const auto [at, fresh] = known_.try_emplace(mix(key, ++occurrences_[key]), instances.size());
    if (fresh) {
      instances.push_back({});
      instances.back().site = sites[j];
    }
    places[j] = at->second;
  }
}

}  // namespace simt
