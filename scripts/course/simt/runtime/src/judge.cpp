// Whether one access was allowed, given all that went before it in this launch.
#include <algorithm>

#include "worker.h"

namespace simt {

void Worker::judge(Lane& judged, u32 site, u32 word) {
  lane = &judged;
  if (word & kSharedBit) {
    const u32 cell = word & ~kSharedBit;
    for (u32 i = 0; i < words_of(site); ++i) judge_shared(judged, site, cell + i);
  } else {
    judge_global(judged, site, word);
  }
}

// Can the other thread's access of this epoch have happened at the same time? Lanes of one warp
// are in order if a warp barrier stood between.
bool Worker::apart(const Lane& judged, u16 other, u16 turn) const {
  const u32 warp = judged.thread / kWarp;
  if (other == kMany) return true;
  if (other & kManyOfWarp) return (other & ~kManyOfWarp) != warp || turn >= turns_[warp];
  if (other == judged.thread) return false;
  return other / kWarp != warp || turn >= turns_[warp];
}

void Worker::race(const Lane& judged, u32 site, u32 other_site, u32 other_thread, u32 word) {
  lane = const_cast<Lane*>(&judged);
  Seen seen = here(Fault::kRace, site);
  seen.other_site = other_site;
  seen.other_thread = other_thread;
  seen.other_block = block;
  seen.space = Space::kShared;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (word - arrays[i].offset / 4 < (arrays[i].bytes + 3) / 4) {
      seen.array = int(i);
      seen.index = long(word - arrays[i].offset / 4);
    }
  }
  faults.add(seen);
}

void Worker::judge_shared(Lane& judged, u32 site, u32 word) {
  Cell& c = cells_[word];
  if (c.written == kGap) return report(Fault::kOutOfBounds, site, word | kSharedBit);
  const Kind kind = kind_of(site);
  const u16 turn = u16(turns_[judged.thread / kWarp]);
  const bool whole = bytes_of(site) >= 4;  // parts of a word are no reason for a race
  const bool written_now = c.written == epoch && whole && bytes_of(c.write_site) >= 4;
  const bool both_atomic = kind == kAtomic && kind_of(c.write_site) == kAtomic;
  if (written_now && !both_atomic && apart(judged, c.writer, c.write_turn)) {
    race(judged, site, c.write_site, c.writer, word);
  } else if (!c.written && kind != kWrite) {
    if (!judged.doubtful) {
      judged.doubtful = true;
      report(Fault::kUninitialized, site, word | kSharedBit);
    }
  } else if (kind == kRead && task->watch_stale) {
    judge_steps(judged, site, word);
  }
  if (kind == kRead) {
    const bool again = c.read == epoch && c.reader != judged.thread;
    const bool same_warp = (c.reader & kManyOfWarp ? c.reader & ~kManyOfWarp : c.reader / kWarp) ==
                           judged.thread / kWarp;
    if (again && c.reader == kMany) return;
    const bool newer = same_warp && c.read_turn < turn;
    c.reader = !again || newer ? u16(judged.thread)
               : same_warp     ? u16(kManyOfWarp | judged.thread / kWarp)
                               : kMany;
    c.read = epoch;
    c.read_turn = turn;
    c.read_site = site;
    return;
  }
  if (c.read == epoch && whole && apart(judged, c.reader, c.read_turn)) {
    const u32 reader = c.reader == kMany ? kMany
                       : c.reader & kManyOfWarp ? (c.reader & ~kManyOfWarp) * kWarp
                                                : c.reader;
    race(judged, site, c.read_site, reader, word);
  }
  c.written = epoch;
  c.write_site = site;
  c.writer = u16(judged.thread);
  c.write_turn = turn;
}

// One place of the source, one thread, one interval: all it reads should be of the same step.
// That alone is no fault (a ring buffer does it rightly); it is the reason if C comes out wrong.
void Worker::judge_steps(Lane& judged, u32 site, u32 word) {
  const Cell& c = cells_[word];
  for (Steps& s : judged.steps) {
    if (s.site != site) continue;
    if (s.epoch != epoch) {
      s = {site, epoch, c.written, c.written, c.write_site, word};
      return;
    }
    if (c.written < s.least) s.least = c.written, s.least_writer = c.write_site, s.cell = word;
    s.most = std::max(s.most, c.written);
    if (s.least == s.most) return;
    task->read_stale[block * task->threads() + judged.thread] = 1;
    Seen seen = here(Fault::kStale, site);
    seen.other_site = s.least_writer;
    seen.space = Space::kShared;
    seen.number = s.least;
    seen.total = s.most;
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (s.cell - arrays[i].offset / 4 >= (arrays[i].bytes + 3) / 4) continue;
      seen.array = int(i);
      seen.index = long(s.cell - arrays[i].offset / 4);
    }
    faults.add(seen);
    return;
  }
  judged.steps.push_back({site, epoch, c.written, c.written, c.write_site, word});
}

void Worker::judge_global(Lane& judged, u32 site, u32 word) {
  Arena& arena = Arena::get();
  const int at = arena.find(word);
  const u32 last = word + words_of(site) - 1;
  if (at < 0 || (last != word && arena.find(last) != at)) {
    return report(Fault::kOutOfBounds, site, at < 0 ? word : last);
  }
  Buffer& buffer = *arena.buffers()[size_t(at)];
  const Kind kind = kind_of(site);
  if (buffer.input) {
    if (kind != kRead) return report(Fault::kInputWritten, site, word);
    return buffer.see(word, last);
  }
  if (kind != kRead && judged.doubtful) {
    judged.doubtful = false;
    faults.add(judged.doubt);
  }
  if (buffer.cells.empty() || bytes_of(site) < 4) return;
  const u32 self = u32(block * task->threads() + judged.thread) + 1;
  for (u32 i = word; i <= last; ++i) {
    GlobalCell& c = buffer.cells[i - buffer.first];
    const auto together = [&](u32 other, u32 when) {
      if (!other || other == self) return false;
      if (other == kManyReaders) return true;
      const u64 other_block = (other - 1) / task->threads();
      return other_block != block || (when & ~kAtomicBit) == epoch;
    };
    const auto collide = [&](u32 other) {
      Seen seen = here(Fault::kRace, site);
      seen.space = Space::kGlobal;
      seen.array = at;
      seen.index = long(i - buffer.first);
      seen.other_block = (other - 1) / task->threads();
      seen.other_thread = (other - 1) % task->threads();
      faults.add(seen);
    };
    const bool atomic_before = c.written & kAtomicBit;
    if (kind == kRead) {
      if (!atomic_before && together(c.writer, c.written)) collide(c.writer);
      if (!c.writer) report(Fault::kOutputRead, site, i);
      c.reader = !c.reader || c.reader == self || c.read != epoch ? self : kManyReaders;
      c.read = epoch;
      continue;
    }
    if (!(kind == kAtomic && atomic_before) && together(c.writer, c.written)) collide(c.writer);
    if (kind == kWrite && c.reader != kManyReaders && together(c.reader, c.read)) collide(c.reader);
    if (kind == kAtomic && !c.writer) report(Fault::kOutputRead, site, i);
    c.writer = self;
    c.written = epoch | (kind == kAtomic ? kAtomicBit : 0);
  }
}

}  // namespace simt
