// A worker runs blocks, one at a time: it holds everything that belongs to the block at hand.
#pragma once

#include <pthread.h>
#include <setjmp.h>

#include <atomic>
#include <string>
#include <vector>

#include "../include/simt/abi.h"
#include "arena.h"
#include "fault.h"
#include "fiber.h"
#include "log.h"
#include "sites.h"

namespace simt {

enum class Order { kMixed, kForward, kReverse, kRandom };

// One launch, as all workers see it.
struct Task {
  dim3 grid, block;
  size_t shared_bytes = 0;
  void (*call)(void*) = nullptr;
  void* context = nullptr;
  bool watch = false;
  bool watch_stale = false;
  Order order = Order::kMixed;
  u64 seed = 0;
  double seconds = 10;
  // The compiled file's place in memory: its code, and all of it with its variables.
  uintptr_t text = 0, module_low = 0, module_high = 0;

  std::atomic<u64> next_block{0};
  std::atomic<bool> stop{false}, timed_out{false};
  std::vector<u8> read_stale;  // by thread of the grid, when watch_stale

  u64 blocks() const { return u64(grid.x) * grid.y * grid.z; }
  u32 threads() const { return block.x * block.y * block.z; }
};

enum class State : u8 { kReady, kBarrier, kWarpWait, kDone };

// Reading one place in one interval, did a thread meet values of different steps?
struct Steps {
  u32 site, epoch, least, most, least_writer, cell;
};

struct Lane {
  void* stack_pointer;
  u32 thread;
  uint3 index;
  State state;
  bool full;      // stopped only because its log was
  u32 pc;         // where it waits
  u32 mask;       // whom it waits for
  u64 brought;    // its vote at a barrier, or its value in a shuffle
  bool doubtful;  // it has read shared memory that nobody had written
  Seen doubt;
  std::vector<Steps> steps;
};

// What is known of one word of shared memory.
struct Cell {
  u32 written, read;  // epochs; 0: never
  u32 write_site, read_site;
  u16 writer, write_turn;  // thread, and how many warp barriers it had passed in this epoch
  u16 reader, read_turn;
};
constexpr u32 kGap = 0xffffffffu;  // `written` of a word that belongs to no array
constexpr u16 kManyOfWarp = 0x8000, kMany = 0xffff;

struct SharedArray {
  int id;
  size_t bytes;
  std::string name;
  int line;
  size_t columns;  // words in a row, 0 for one dimension
  u32 offset;      // in bytes from the start of the block's shared memory
};

class Worker;

// What an access needs, one for each thread of the runner. All zero outside kernels.
struct Hot {
  u32* cursor;
  u32* limit;
  uintptr_t shared_base, shared_span;
  uintptr_t arena_base, arena_span;
  uintptr_t text;
  Worker* worker;
};
extern thread_local constinit Hot hot;

class Worker {
 public:
  static constexpr u32 kMaxThreads = 1024;
  static constexpr size_t kSharedRoom = 1u << 20;
  static constexpr size_t kStaticShared = 48 * 1024;

  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Task* task = nullptr;
  Lane* lane = nullptr;  // the thread that runs, null outside kernels
  Faults faults;
  Sites sites;
  Traffic traffic;
  std::vector<SharedArray> arrays;
  u64 loop_peak[256] = {};  // highest iteration seen of each loop
  u64 block = 0;
  u32 epoch = 0;
  int vote_count = 0, voters = 0;
  u64 exchanged[kMaxThreads / kWarp][kWarp] = {};
  sigjmp_buf escape;
  const pthread_t thread = pthread_self();
  Stacks stacks;

  void run(Task& task);             // blocks, until none is left
  void wait(State state, u32 pc, u32 mask, u64 brought);  // the running thread stops here
  void log_full();
  void elsewhere(const void* address, u32 site);
  void* shared_array(int id, size_t bytes, const char* name, int line, size_t columns);
  void* dynamic_array(const char* name);
  void report(Fault fault, u32 site, u32 word);
  [[noreturn]] void give_up();      // leaves the launch from wherever it is
  Seen here(Fault fault, u32 site) const;
  u32 live_mask() const;
  u32 last_site() const;
  void finish_lane();
  void hang(u32 site);

 private:
  friend void lane_main();
  std::vector<Lane> lanes_;
  std::vector<u32> logs_;
  u32 lengths_[kWarp] = {};
  std::vector<u32> warp_order_, lane_order_;
  std::vector<Cell> cells_;
  char* shared_;
  size_t static_bytes_ = 0;
  u32 turns_[kMaxThreads / kWarp] = {};
  std::vector<u32> thread_loads_, thread_stores_, thread_words_;
  Matcher matcher_;
  void* scheduler_ = nullptr;

  u32* log(u32 lane_of_warp) { return logs_.data() + size_t{lane_of_warp} * kStride; }
  void begin(Task& task);
  void run_block();
  void begin_block();
  void set_order();
  void run_warp(u32 warp);
  void resume(Lane& lane);
  void release_warp(u32 warp);
  bool release_barrier();
  void end_block();
  SharedArray& new_array(int id, size_t bytes, const char* name, int line, size_t columns);

  void flush(u32 warp);  // reads the warp's log: counts, then judges
  void count_uniform(u32 warp, const u32* active, u32 lanes, u32 length);
  void count_divergent(u32 warp, const u32* active, u32 lanes);
  void count_thread(u32 thread, u32 site);
  void judge(Lane& lane, u32 site, u32 word);
  void judge_shared(Lane& lane, u32 site, u32 cell);
  void judge_global(Lane& lane, u32 site, u32 word);
  void judge_steps(Lane& lane, u32 site, u32 cell);
  bool apart(const Lane& lane, u16 other, u16 turn) const;
  void race(const Lane& lane, u32 site, u32 other_site, u32 other_thread, u32 cell);
};

bool is_builtin(uintptr_t address);  // threadIdx and its kin

// One access that the instrumentation does not announce by itself.
void touch(const void* address, u32 site);

}  // namespace simt
