// Reading one warp's log: what its instructions moved, then whether each access was allowed.
#include <algorithm>
#include <cstring>

#include "worker.h"

namespace simt {

void Worker::flush(u32 warp) {
  u32 active[kWarp], lanes = 0;
  for (u32 i = 0; i < kWarp; ++i) {
    if (lengths_[i]) active[lanes++] = i;
  }
  if (!lanes) return;
  const u32* first = log(active[0]);
  const u32 length = lengths_[active[0]];
  bool uniform = true;
  for (u32 i = 1; i < lanes && uniform; ++i) {
    uniform = lengths_[active[i]] == length && !memcmp(log(active[i]), first, length * sizeof(u32));
  }
  if (uniform) {
    count_uniform(warp, active, lanes, length);
  } else {
    count_divergent(warp, active, lanes);
  }
  std::fill(std::begin(lengths_), std::end(lengths_), 0);
}

void Worker::count_thread(u32 thread, u32 site) {
  if (kind_of(site) == kRead) {
    ++thread_loads_[thread];
    thread_words_[thread] += words_of(site);
  } else if (kind_of(site) == kWrite) {
    ++thread_stores_[thread];
  }
}

namespace {

constexpr u32 kChunk = 1024;

// Column by column over the lanes: the least and the most word of each instruction, how often the
// sector changes from one lane to the next, and whether the words ever step back.
struct Columns {
  int least[kChunk], most[kChunk], changes[kChunk], back[kChunk];

  void fill(const u32* const* words, u32 lanes, u32 count) {
    for (u32 j = 0; j < count; ++j) {
      least[j] = most[j] = int(words[0][j]);
      changes[j] = 1;
      back[j] = 0;
    }
    for (u32 i = 1; i < lanes; ++i) {
      const int* now = reinterpret_cast<const int*>(words[i]);
      const int* before = reinterpret_cast<const int*>(words[i - 1]);
      for (u32 j = 0; j < count; ++j) {
        const int w = now[j], p = before[j];
        least[j] = w < least[j] ? w : least[j];
        most[j] = w > most[j] ? w : most[j];
        changes[j] += (w >> 3) != (p >> 3);
        back[j] |= w < p;
      }
    }
  }
};

void add(SiteCount& count, u32 lanes, u32 sectors, u32 conflicts, u32 ways) {
  ++count.requests;
  count.lanes += lanes;
  count.sectors += sectors;
  count.conflicts += conflicts;
  count.worst = std::max(count.worst, count.shared ? ways : sectors);
}

// How many sectors, from the columns alone where they suffice.
u32 sectors_in(const Columns& columns, u32 j, const u32* words, u32 lanes) {
  if (!columns.back[j]) return u32(columns.changes[j]);
  const u32 first = u32(columns.least[j]) >> 3, last = u32(columns.most[j]) >> 3;
  if (last - first >= 64) return sectors_of(words, lanes);
  u64 seen = 0;
  for (u32 i = 0; i < lanes; ++i) seen |= u64{1} << ((words[i] >> 3) - first);
  return u32(__builtin_popcountll(seen));
}

}  // namespace

// All lanes did the same: the j-th entries of their logs are one instruction.
void Worker::count_uniform(u32 warp, const u32* active, u32 lanes, u32 length) {
  static thread_local Columns columns;
  const u32 first_thread = warp * kWarp;
  const u32* words[kWarp];
  u32 column[kWarp], loads = 0, stores = 0, loaded = 0;
  u8 lane_of[kWarp];
  for (u32 i = 0; i < lanes; ++i) lane_of[i] = u8(active[i]);
  const u32* sites_of = log(active[0]);
  for (u32 start = 0; start < length; start += kChunk) {
    const u32 count = std::min(kChunk, length - start);
    for (u32 i = 0; i < lanes; ++i) words[i] = log(active[i]) + kWords + start;
    columns.fill(words, lanes, count);
    for (u32 j = 0; j < count; ++j) {
      const u32 site = sites_of[start + j];
      const Kind kind = kind_of(site);
      if (kind == kMark) continue;
      const u32 least = u32(columns.least[j]), most = u32(columns.most[j]);
      const bool shared = least & kSharedBit;
      Buffer* input = nullptr;  // that all lanes read, and nothing else: an innocent access
      if (shared == bool(most & kSharedBit)) {
        for (u32 i = 0; i < lanes; ++i) column[i] = words[i][j];
        SiteCount& site_count = sites.of(site, shared);
        if (shared) {
          const u32 width = words_of(site);
          u32 conflicts = 0, ways = 1;
          if (most - least + width > kWarp) {
            conflicts = conflicts_of(column, lane_of, lanes, width, &ways);
          }
          add(site_count, lanes, 0, conflicts, ways);
        } else {
          add(site_count, lanes, sectors_in(columns, j, column, lanes), 0, 1);
          loads += kind == kRead;
          stores += kind == kWrite;
          loaded += kind == kRead ? words_of(site) : 0;
          const int buffer = kind == kRead ? Arena::get().find(least) : -1;
          if (buffer >= 0 && Arena::get().find(most + words_of(site) - 1) == buffer) {
            Buffer* whole = Arena::get().buffers()[size_t(buffer)].get();
            if (whole->input) input = whole;
          }
        }
      }
      if (input) {
        if (input->is_known(most + words_of(site) - 1)) continue;
        for (u32 i = 0; i < lanes; ++i) input->see(words[i][j], words[i][j] + words_of(site) - 1);
        continue;
      }
      for (u32 i = 0; i < lanes; ++i) judge(lanes_[first_thread + active[i]], site, words[i][j]);
    }
  }
  for (u32 i = 0; i < lanes; ++i) {
    const u32 thread = first_thread + active[i];
    thread_loads_[thread] += loads;
    thread_stores_[thread] += stores;
    thread_words_[thread] += loaded;
  }
}

// Some lanes took another way: accesses are matched by loop and iteration.
void Worker::count_divergent(u32 warp, const u32* active, u32 lanes) {
  static thread_local std::vector<u32> places[kWarp];
  matcher_.clear();
  u32 leader_of[kWarp];
  for (u32 i = 0; i < lanes; ++i) {
    const u32* mine = log(active[i]);
    const u32 length = lengths_[active[i]];
    u32 leader = 0;
    while (leader < i && (leader_of[leader] != leader || lengths_[active[leader]] != length ||
                          memcmp(log(active[leader]), mine, length * sizeof(u32)))) {
      ++leader;
    }
    leader_of[i] = leader;
    if (leader == i) matcher_.place(mine, mine + kWords, length, places[i]);
    Lane& judged = lanes_[warp * kWarp + active[i]];
    for (u32 j = 0; j < length; ++j) {
      const u32 place = places[leader][j], word = mine[kWords + j];
      if (place == Matcher::kNone) continue;
      Instance& instance = matcher_.instances[place];
      instance.words[instance.lanes] = word;
      instance.lane_of[instance.lanes++] = u8(active[i]);
      if (!(word & kSharedBit)) count_thread(judged.thread, mine[j]);
      judge(judged, mine[j], word);
    }
  }
  for (const Instance& one : matcher_.instances) {
    const bool shared = one.words[0] & kSharedBit;
    u32 ways = 1, conflicts = 0;
    if (shared) {
      conflicts = conflicts_of(one.words, one.lane_of, one.lanes, words_of(one.site), &ways);
    }
    add(sites.of(one.site, shared), one.lanes, shared ? 0 : sectors_of(one.words, one.lanes),
        conflicts, ways);
  }
}

}  // namespace simt
