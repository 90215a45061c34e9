#include "sandbox.h"

#include <sys/resource.h>

void simt::set_limits(unsigned seconds) {
  const auto limit = [](int what, rlim_t most) {
    const rlimit both = {most, most};
    setrlimit(what, &both);
  };
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_AS, rlim_t{7} << 30);  // of which 3 GB are only reserved
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CORE, 0);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace simt {

namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif

constexpr uint32_t kHarmless[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_close, SYS_fstat, SYS_newfstatat,
    SYS_lseek, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_set_robust_list,
    SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_clock_gettime,
    SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
    SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_exit, SYS_exit_group, SYS_getuid, SYS_geteuid,
    SYS_getgid, SYS_getegid, SYS_restart_syscall,
#if defined(__x86_64__)
    SYS_stat, SYS_access, SYS_time,
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

}  // namespace

bool close_in() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the results
  const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM, allow = SECCOMP_RET_ALLOW;
  const uint32_t number = offsetof(seccomp_data, nr);
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  std::vector<sock_filter> filter = {
      load(offsetof(seccomp_data, arch)), unless_equal(kMachine, 1),
      BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), give(SECCOMP_RET_KILL_PROCESS), load(number)};
  const auto add = [&filter](std::initializer_list<sock_filter> more) {
    filter.insert(filter.end(), more);
  };
  for (const uint32_t call : kHarmless) add({unless_equal(call, 1), give(allow)});
  add({unless_equal(SYS_openat, 4), load(argument(2)), unless_set(writing, 1), give(refuse),
       give(allow)});
#if defined(__x86_64__)
  add({load(number), unless_equal(SYS_open, 4), load(argument(1)), unless_set(writing, 1),
       give(refuse), give(allow)});
#endif
  // Threads only; glibc tries clone3 first, whose flags a filter cannot see.
  add({load(number), unless_equal(SYS_clone, 4), load(argument(0)), unless_set(CLONE_THREAD, 1),
       give(allow), give(refuse)});
  add({load(number), unless_equal(SYS_clone3, 1), give(SECCOMP_RET_ERRNO | ENOSYS)});
  // Signals to this process only: abort, and the watchdog.
  add({load(number), unless_equal(SYS_tgkill, 4), load(argument(0)),
       unless_equal(uint32_t(getpid()), 1), give(allow), give(refuse)});
  add({load(number), unless_equal(SYS_prlimit64, 4), load(argument(2)), unless_equal(0, 1),
       give(allow), give(refuse)});
  add({give(refuse)});
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace simt

#else

bool simt::close_in() { return false; }

#endif
