#include "sandbox.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <initializer_list>
#include <vector>

#endif

namespace simt {

namespace {

void limit(int what, rlim_t most) {
  const rlimit both = {most, most};
  setrlimit(what, &both);
}

}  // namespace

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// One system call whose place in memory the filter knows: what a source calls comes from elsewhere.
extern "C" long simt_own_call(long number, long a, long b, long c, long d);
extern "C" const char simt_own_return[];

asm(R"(
.text
.hidden simt_own_call
.globl simt_own_call
.hidden simt_own_return
.globl simt_own_return
simt_own_call:
)"
#if defined(__x86_64__)
    R"(
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %r10
  syscall
)"
#else
    R"(
  mov x8, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  svc #0
)"
#endif
    R"(
simt_own_return:
  ret
)");

namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif

// What computing, waiting and ending need. Nothing that opens, and no new thread.
constexpr uint32_t kHarmless[] = {
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_sigaltstack, SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_getrandom, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_exit, SYS_exit_group,
    SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_time,
#endif
};

sock_filter load(size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
sock_filter give(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter unless_equal(uint32_t value, uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}
sock_filter unless_set(uint32_t bits, uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip);
}

// The low half of a system call's argument; both machines are little-endian.
constexpr size_t argument(size_t i) { return offsetof(seccomp_data, args) + 8 * i; }

// Landlock's interface as the kernel documents it; older headers lack its later parts.
struct Ruleset {
  uint64_t files, network, scopes;
};
constexpr int kCreate = 444, kRestrict = 446;  // the same number on every machine
constexpr unsigned kAskVersion = 1;

// Every right that version `abi` of Landlock knows: named by a ruleset without rules, it is denied.
Ruleset all_rights(int abi) {
  const int files = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  return {(uint64_t{1} << files) - 1, abi >= 4 ? uint64_t{3} : 0, abi >= 6 ? uint64_t{3} : 0};
}

size_t ruleset_size(int abi) { return abi >= 6 ? 24 : abi >= 4 ? 16 : 8; }

}  // namespace

void set_limits(unsigned seconds) {
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_AS, rlim_t{7} << 30);  // of which 3 GB are only reserved
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CORE, 0);
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL);  // it ended in between
}

void close_descriptors(int results) {
  close(STDIN_FILENO);
  for (int descriptor = 3; descriptor < 1024; ++descriptor) {
    if (descriptor != results) close(descriptor);
  }
}

int wall_off_files() {
  const long abi = syscall(kCreate, nullptr, 0, kAskVersion);
  if (abi < 1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 0;
  const Ruleset rights = all_rights(int(abi));
  const long ruleset = syscall(kCreate, &rights, ruleset_size(int(abi)), 0);
  if (ruleset < 0) return 0;
  const bool stands = syscall(kRestrict, ruleset, 0) == 0;
  close(int(ruleset));
  return stands ? int(abi) : 0;
}

bool wall_off_system() {
  const uint32_t refuse = SECCOMP_RET_ERRNO | 1, allow = SECCOMP_RET_ALLOW;  // 1: EPERM
  const uint32_t number = offsetof(seccomp_data, nr);
  const size_t from = offsetof(seccomp_data, instruction_pointer);
  const auto own = reinterpret_cast<uintptr_t>(simt_own_return);
  std::vector<sock_filter> filter;
  const auto add = [&filter](std::initializer_list<sock_filter> more) {
    filter.insert(filter.end(), more);
  };
  add({load(offsetof(seccomp_data, arch)), unless_equal(kMachine, 1),
       BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), give(SECCOMP_RET_KILL_PROCESS), load(number)});
  for (const uint32_t call : kHarmless) add({unless_equal(call, 1), give(allow)});
  // Memory to compute in: no file's, and never to be executed.
  add({unless_equal(SYS_mmap, 6), load(argument(2)), unless_set(PROT_EXEC, 1), give(refuse),
       load(argument(3)), unless_set(MAP_ANONYMOUS, 1), give(allow)});
  add({load(number), unless_equal(SYS_mprotect, 4), load(argument(2)), unless_set(PROT_EXEC, 1),
       give(refuse), give(allow)});
  // Printing.
  for (const uint32_t call : {uint32_t(SYS_write), uint32_t(SYS_writev)}) {
    add({load(number), unless_equal(call, 5), load(argument(0)), unless_equal(1, 1), give(allow),
         unless_equal(2, 1), give(allow)});
  }
  // Signals to this process only: abort, and the watchdog.
  add({load(number), unless_equal(SYS_tgkill, 4), load(argument(0)),
       unless_equal(uint32_t(getpid()), 1), give(allow), give(refuse)});
  // What only the runner's own code does.
  for (const uint32_t call : {uint32_t(SYS_write), uint32_t(SYS_rt_sigaction)}) {
    add({load(number), unless_equal(call, 5), load(from), unless_equal(uint32_t(own), 3),
         load(from + 4), unless_equal(uint32_t(uint64_t{own} >> 32), 1), give(allow)});
  }
  add({give(refuse)});
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

long own_write(int descriptor, const void* bytes, size_t size) {
  return simt_own_call(SYS_write, descriptor, reinterpret_cast<long>(bytes), long(size), 0);
}

void die_of(int signal) {
  struct {
    void (*handler)(int);
    unsigned long rest[3];
  } as_usual = {SIG_DFL, {}};  // the kernel's own layout
  simt_own_call(SYS_rt_sigaction, signal, reinterpret_cast<long>(&as_usual), 0, 8);
  raise(signal);
}

#else

void set_limits(unsigned seconds) { limit(RLIMIT_CPU, seconds); }
void close_descriptors(int) {}
int wall_off_files() { return 0; }
bool wall_off_system() { return false; }
long own_write(int descriptor, const void* bytes, size_t size) {
  return write(descriptor, bytes, size);
}
void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

#endif

}  // namespace simt
