#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sandbox.h"

namespace simt {

using Clock = std::chrono::steady_clock;

struct Pool::Crew {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  std::vector<Worker*> workers;  // each lives on its own thread
  Task* task = nullptr;
  u64 launch = 0;
  u32 busy = 0;
};

namespace {

constexpr size_t kSignalStack = 64 * 1024;
constexpr double kAsleep = 10;  // seconds of the clock in which what works uses ...
constexpr double kAwake = 0.1;  // ... this many of a processor, even where others use most of it
constexpr double kStretch = 2;  // of a launch's processor time, which the clock may take as well
constexpr double kGrace = 5;    // seconds of both clocks for leaving a launch whose time is up

// Of the workers alone: looking at the clock takes time as well.
double cpu_seconds(const std::vector<Worker*>& workers) {
  double sum = 0;
  for (const Worker* w : workers) {
    clockid_t clock;
    timespec now{};
    pthread_getcpuclockid(w->thread, &clock);
    clock_gettime(clock, &now);
    sum += double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
  }
  return sum;
}

uintptr_t program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
  return uintptr_t(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(context.uc_mcontext.pc);
#else
  return context.uc_link ? 0 : 0;
#endif
}

// Where in the compiled file the running thread is, or its last access if it is not in it.
u32 site_at(const Worker& w, uintptr_t pc, bool* inside) {
  *inside = pc >= w.task->module_low && pc < w.task->module_high;
  return *inside ? u32(pc + 1 - w.task->text) << 5 : w.last_site();
}

void on_fault(int signal, siginfo_t* info, void* context) {
  Worker* w = hot.worker;
  if (!w || !w->task || !w->lane) {
    die_of(signal);
    return;
  }
  bool inside;
  const bool stack = w->stacks.in_guard(info->si_addr);
  const u32 site = site_at(*w, program_counter(*static_cast<ucontext_t*>(context)), &inside);
  Seen seen = w->here(stack ? Fault::kStack : Fault::kCrash, site);
  seen.number = u64(signal);
  w->faults.add(seen);
  w->give_up();
}

// The time is up. Only code of the kernel itself is left in the middle: never a lock held.
void on_alarm(int, siginfo_t*, void* context) {
  Worker* w = hot.worker;
  if (!w || !w->task || !w->lane || !w->task->timed_out) return;
  bool inside;
  const u32 site = site_at(*w, program_counter(*static_cast<ucontext_t*>(context)), &inside);
  if (inside) w->hang(site);
}

// A worker is in a library's call, which cannot be left: it may hold a lock that a report needs.
[[noreturn]] void end_waiting() {
  raise(SIGALRM);
  _exit(1);  // a source may have blocked the signal
}

}  // namespace

void install_handlers() {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_alarm;
  sigaction(SIGUSR1, &action, nullptr);
}

Pool::Pool() : crew_(std::make_unique<Crew>()) {}
Pool::~Pool() = default;

Pool& Pool::get() {
  static Pool* pool = new Pool;  // its threads outlive everything
  return *pool;
}

void Pool::start(u32 workers) {
  Crew& crew = *crew_;
  crew.workers.assign(workers, nullptr);
  for (u32 i = 0; i < workers; ++i) {
    crew.threads.emplace_back([&crew, i] {
      std::vector<char> signal_stack(kSignalStack);
      stack_t alternative = {};
      alternative.ss_sp = signal_stack.data();
      alternative.ss_size = signal_stack.size();
      sigaltstack(&alternative, nullptr);
      Worker w;
      std::unique_lock lock(crew.mutex);
      crew.workers[i] = &w;
      crew.done.notify_all();
      for (u64 seen = 0;;) {
        crew.wake.wait(lock, [&] { return crew.launch != seen; });
        seen = crew.launch;
        Task& task = *crew.task;
        lock.unlock();
        w.run(task);
        lock.lock();
        --crew.busy;
        crew.done.notify_all();
      }
    });
    crew.threads.back().detach();
  }
  std::unique_lock lock(crew.mutex);
  crew.done.wait(lock, [&] {
    for (const Worker* w : crew.workers) {
      if (!w) return false;
    }
    return true;
  });
}

void Pool::run(Task& task, Outcome& outcome) {
  Crew& crew = *crew_;
  const auto start = Clock::now();
  const double cpu_start = cpu_seconds(crew.workers);
  const double share = double(std::min<u64>(crew.workers.size(), task.blocks()));
  auto awake_at = start, over_at = start;
  double awake_cpu = cpu_start, over_cpu = cpu_start;
  const auto out_of_time = [&] {  // processor time, so that a busy machine makes no kernel hang
    const auto now = Clock::now();
    const double cpu = cpu_seconds(crew.workers);
    if (cpu - awake_cpu > kAwake) awake_at = now, awake_cpu = cpu;
    const double asleep = std::chrono::duration<double>(now - awake_at).count();
    const double taken = std::chrono::duration<double>(now - start).count();
    if (asleep >= 2 * kAsleep) end_waiting();
    return (cpu - cpu_start) / share >= task.seconds || asleep >= kAsleep ||
           taken >= kStretch * task.seconds + kAsleep;
  };
  std::unique_lock lock(crew.mutex);
  crew.task = &task;
  crew.busy = u32(crew.workers.size());
  ++crew.launch;
  crew.wake.notify_all();
  const auto idle = [&crew] { return crew.busy == 0; };
  while (!crew.done.wait_for(lock, std::chrono::milliseconds(10), idle)) {
    if (!out_of_time()) continue;
    // Most workers notice by themselves; a loop without accesses has to be interrupted.
    if (task.timed_out) {
      const std::chrono::duration<double> late = Clock::now() - over_at;
      const double busy = cpu_seconds(crew.workers) - over_cpu;
      if (late.count() >= kGrace && busy >= kGrace) end_waiting();
      for (const Worker* w : crew.workers) pthread_kill(w->thread, SIGUSR1);
    }
    if (!task.timed_out) over_at = Clock::now(), over_cpu = cpu_seconds(crew.workers);
    task.timed_out = task.stop = true;
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const Worker* w : crew.workers) {
    outcome.faults.merge(w->faults);
    outcome.sites.merge(w->sites);
    outcome.traffic.merge(w->traffic);
    if (w->arrays.size() > outcome.arrays.size()) outcome.arrays = w->arrays;
  }
}

}  // namespace simt
