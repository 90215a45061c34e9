// The order in which the threads of a block run, from barrier to barrier.
#include <algorithm>
#include <cstring>

#include "worker.h"

// The runner's side of threadIdx and its kin; asm labels because kernels see them as const.
extern "C" {
__thread uint3 simt_thread_index asm("threadIdx");
__thread uint3 simt_block_index asm("blockIdx");
__thread uint3 simt_block_size asm("blockDim");
__thread uint3 simt_grid_size asm("gridDim");
}

namespace simt {

namespace {
u64 scramble(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
void shuffle(std::vector<u32>& order, u64 seed) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[scramble(seed + i) % i]);
}
void count_up(std::vector<u32>& order, u32 count) {
  order.resize(count);
  for (u32 i = 0; i < count; ++i) order[i] = i;
}
}  // namespace

bool is_builtin(uintptr_t address) {
  const auto within = [address](const uint3& v) {
    return address - reinterpret_cast<uintptr_t>(&v) < sizeof v;
  };
  return within(simt_thread_index) || within(simt_block_index) || within(simt_block_size) ||
         within(simt_grid_size);
}

void lane_main() {
  Worker& w = *hot.worker;
  w.task->call(w.task->context);
  w.finish_lane();
}

void Worker::run(Task& next) {
  begin(next);
  if (sigsetjmp(escape, 1) == 0) {
    while (!next.stop) {
      block = next.next_block++;
      if (block >= next.blocks()) break;
      run_block();
    }
  } else {
    next.stop = true;
  }
  lane = nullptr;
  hot = Hot{};
}

void Worker::begin(Task& next) {
  task = &next;
  faults.clear();
  sites.clear();
  traffic = Traffic{};
  arrays.clear();
  static_bytes_ = 0;
  std::fill(std::begin(loop_peak), std::end(loop_peak), 0);
  cells_.assign(next.watch ? kSharedRoom / 4 : 0, Cell{kGap, 0, 0, 0, 0, 0, 0, 0});
  lanes_.resize(next.threads());
  hot = Hot{};
  hot.worker = this;
  simt_block_size = {next.block.x, next.block.y, next.block.z};
  simt_grid_size = {next.grid.x, next.grid.y, next.grid.z};
}

void Worker::begin_block() {
  const u32 threads = task->threads();
  simt_block_index = {u32(block % task->grid.x), u32(block / task->grid.x % task->grid.y),
                      u32(block / task->grid.x / task->grid.y)};
  epoch = 1;
  for (u32 t = 0; t < threads; ++t) {
    Lane& l = lanes_[t];
    // Stacks start apart within their pages, or all of them would share a few cache sets.
    char* top = stacks.high(t) - t % 61 * 64;
    l.stack_pointer = fiber_prepare(top, lane_main);
    l.thread = t;
    l.index = {t % task->block.x, t / task->block.x % task->block.y,
               t / task->block.x / task->block.y};
    l.state = State::kReady;
    l.full = l.doubtful = false;
  }
  for (const SharedArray& array : arrays) {
    memset(shared_ + array.offset, 0xff, array.bytes);  // as floats: NaN
    if (!task->watch) continue;
    const auto cells = cells_.begin() + array.offset / 4;
    std::fill(cells, cells + long(array.bytes + 3) / 4, Cell{});
  }
  if (!task->watch) return;
  thread_loads_.assign(threads, 0);
  thread_stores_.assign(threads, 0);
  thread_words_.assign(threads, 0);
}

void Worker::set_order() {
  const u32 warps = (task->threads() + kWarp - 1) / kWarp;
  count_up(warp_order_, warps);
  count_up(lane_order_, kWarp);
  const Order order = task->order != Order::kMixed
                          ? task->order
                          : Order(1 + (block + task->seed) % 3);
  if (order == Order::kForward) return;
  if (order == Order::kReverse) {
    std::reverse(warp_order_.begin(), warp_order_.end());
    std::reverse(lane_order_.begin(), lane_order_.end());
  } else {
    const u64 seed = scramble(task->seed * 31 + block) + epoch;
    shuffle(warp_order_, seed);
    shuffle(lane_order_, ~seed);
  }
}

void Worker::run_block() {
  begin_block();
  do {
    if (epoch <= 1 || task->watch) set_order();
    std::fill(std::begin(turns_), std::end(turns_), 0);
    for (const u32 warp : warp_order_) run_warp(warp);
  } while (release_barrier());
  if (task->watch) end_block();
}

// Until each lane of the warp waits at the block's barrier or is done.
void Worker::run_warp(u32 warp) {
  const u32 first = warp * kWarp, lanes = std::min(kWarp, task->threads() - first);
  for (;;) {
    bool ran = false;
    for (const u32 i : lane_order_) {
      if (i >= lanes || lanes_[first + i].state != State::kReady) continue;
      resume(lanes_[first + i]);
      ran = true;
    }
    if (!ran) return;
    if (task->watch) flush(warp);
    if (task->timed_out) hang(last_site());
    release_warp(warp);
  }
}

void Worker::resume(Lane& next) {
  lane = &next;
  const u32 in_warp = next.thread % kWarp;
  if (task->watch) {
    hot.shared_base = reinterpret_cast<uintptr_t>(shared_);
    hot.shared_span = kSharedRoom;
    hot.arena_base = reinterpret_cast<uintptr_t>(Arena::get().base());
    hot.arena_span = Arena::get().span();
    hot.text = task->text;
    hot.cursor = log(in_warp);
    hot.limit = hot.cursor + kCapacity;
  }
  simt_thread_index = next.index;
  simt_fiber_switch(&scheduler_, next.stack_pointer);
  if (task->watch) lengths_[in_warp] = u32(hot.cursor - log(in_warp));
}

void Worker::wait(State state, u32 pc, u32 mask, u64 brought) {
  Lane& self = *lane;
  self.state = state;
  self.pc = pc;
  self.mask = mask;
  self.brought = brought;
  simt_fiber_switch(&self.stack_pointer, scheduler_);
}

// The lane pauses; the others of its warp get as far, and the log is read before it goes on.
void Worker::log_full() {
  if (task->timed_out) hang(last_site());
  if (task->stop) give_up();
  simt_fiber_switch(&lane->stack_pointer, scheduler_);
}

void Worker::finish_lane() {
  lane->state = State::kDone;
  simt_fiber_switch(&lane->stack_pointer, scheduler_);
}

u32 Worker::live_mask() const {
  const u32 first = lane->thread / kWarp * kWarp;
  u32 mask = 0;
  for (u32 i = 0; i < kWarp && first + i < lanes_.size(); ++i) {
    if (lanes_[first + i].state != State::kDone) mask |= 1u << i;
  }
  return mask;
}

// Lanes that wait for each other go on once all that their mask names, and that live, are there.
void Worker::release_warp(u32 warp) {
  const u32 first = warp * kWarp, lanes = std::min(kWarp, task->threads() - first);
  bool ready = false;
  u32 waiting = 0, live = 0;
  for (u32 i = 0; i < lanes; ++i) {
    const Lane& l = lanes_[first + i];
    ready = ready || l.state == State::kReady;
    if (l.state == State::kWarpWait) waiting |= 1u << i;
    if (l.state != State::kDone) live |= 1u << i;
  }
  if (!waiting) return;
  u32 released = 0;
  for (u32 i = 0; i < lanes; ++i) {
    if (!(waiting >> i & 1u)) continue;
    Lane& l = lanes_[first + i];
    const u32 missing = l.mask & live & ~waiting;
    if (missing && ready) continue;
    if (missing) {
      lane = &l;
      Seen seen = here(Fault::kWarpDivergence, l.pc << 5);
      seen.number = u64(__builtin_popcount(l.mask & waiting));
      seen.total = u64(__builtin_popcount(l.mask));
      faults.add(seen);
    }
    released |= 1u << i;
  }
  for (u32 i = 0; i < lanes; ++i) {
    if (released >> i & 1u) exchanged[warp][i] = lanes_[first + i].brought;
  }
  for (u32 i = 0; i < lanes; ++i) {
    if (released >> i & 1u) lanes_[first + i].state = State::kReady;
  }
  if (released) ++turns_[warp];
}

// True if some threads wait: they go on. A barrier waits for those that have not left the kernel,
// as it does on hardware since Volta; that part of a block left is a fault all the same.
bool Worker::release_barrier() {
  u32 waiting = 0, done = 0;
  const Lane* first = nullptr;
  const Lane* other = nullptr;
  vote_count = 0;
  for (Lane& l : lanes_) {
    if (l.state == State::kDone) {
      ++done;
      continue;
    }
    ++waiting;
    vote_count += l.brought != 0;
    if (!first) first = &l;
    if (l.pc != first->pc) other = &l;
  }
  voters = int(waiting);
  if (!waiting) return false;
  if (task->watch && (done || other)) {
    lane = &lanes_[first->thread];
    Seen seen = here(Fault::kDivergence, first->pc << 5);
    seen.number = waiting;
    seen.total = task->threads();
    if (other) {
      seen.other_site = other->pc << 5;
      seen.other_thread = other->thread;
      seen.number = u64(std::count_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) {
        return l.state != State::kDone && l.pc == first->pc;
      }));
    }
    faults.add(seen);
  }
  ++epoch;
  for (Lane& l : lanes_) {
    if (l.state == State::kBarrier) l.state = State::kReady;
  }
  if (task->timed_out) hang(first->pc << 5);
  if (task->stop) give_up();
  return true;
}

void Worker::end_block() {
  Arena::get().learn();
  traffic.threads += lanes_.size();
  for (size_t t = 0; t < lanes_.size(); ++t) {
    traffic.merge({0, thread_loads_[t], thread_stores_[t], thread_words_[t], thread_loads_[t],
                   thread_stores_[t], thread_words_[t]});
  }
}

}  // namespace simt
