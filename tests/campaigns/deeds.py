"""What a submission must not be able to do, as C++, and how it is seen from outside.

Each deed is the body of a function `bool deed()`. It says itself whether it was done, and prints
so; what it did to files and processes is looked at from outside as well.
"""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

HEADERS = """
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>
"""
MARK = "DEED-WAS-DONE"
RETURNS_7 = 'static const unsigned char code[] = "\\xb8\\x07\\x00\\x00\\x00\\xc3";'
RUNS_IT = "memcpy(p, code, 6); return ((int (*)())p)() == 7;"
FORGED = r'"0 {\"id\":0,\"stopped\":0,\"mismatches\":0}\n{\"end\":1}\n"'

# {0} is a folder with the files `kept` and `secret`, {1} a process, {2} a TCP port that listens.
DEEDS: dict[str, dict[str, str]] = {
    "create": {
        "open": 'return open("{0}/new", O_CREAT | O_WRONLY, 0600) >= 0;',
        "openat": 'return syscall(SYS_openat, AT_FDCWD, "{0}/new", O_CREAT | O_RDWR, 0600) >= 0;',
        "fopen": 'return fopen("{0}/new", "w") != nullptr;',
        "ofstream": 'std::ofstream out("{0}/new"); return bool(out << 1);',
        "mknod": 'return mknod("{0}/new", S_IFREG | 0600, 0) == 0;',
        "mkfifo": 'return mkfifo("{0}/new", 0600) == 0;',
        "tmpfile": 'return open("{0}", O_TMPFILE | O_RDWR, 0600) >= 0;',
    },
    "truncate": {
        "truncate": 'return truncate("{0}/kept", 0) == 0;',
        "open": 'return open("{0}/kept", O_WRONLY | O_TRUNC) >= 0;',
        "read-only": 'return open("{0}/kept", O_RDONLY | O_TRUNC) >= 0;',
    },
    "append": {
        "fopen": 'FILE* f = fopen("{0}/kept", "a"); return f && fputs("x", f) >= 0 && !fclose(f);',
        "open": 'return write(open("{0}/kept", O_WRONLY | O_APPEND), "x", 1) == 1;',
    },
    "remove": {
        "remove": 'return std::remove("{0}/kept") == 0;',
        "unlinkat": 'return syscall(SYS_unlinkat, AT_FDCWD, "{0}/kept", 0) == 0;',
        "rmdir": 'return rmdir("{0}/empty") == 0;',
    },
    "rename": {
        "rename": 'return std::rename("{0}/kept", "{0}/other") == 0;',
        "renameat2": 'const char *from = "{0}/kept", *to = "{0}/other";'
        " return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0) == 0;",
    },
    "link": {
        "link": 'return link("{0}/kept", "{0}/linked") == 0;',
        "symlink": 'return symlink("{0}/kept", "{0}/linked") == 0;',
    },
    "chmod": {
        "chmod": 'return chmod("{0}/kept", 0777) == 0;',
        "fchmodat": 'return syscall(SYS_fchmodat, AT_FDCWD, "{0}/kept", 0777) == 0;',
        "utimensat": 'return utimensat(AT_FDCWD, "{0}/kept", nullptr, 0) == 0;',
        "setxattr": 'return syscall(SYS_setxattr, "{0}/kept", "user.a", "b", 1, 0) == 0;',
    },
    "mkdir": {
        "mkdir": 'return mkdir("{0}/folder", 0700) == 0;',
        "mkdirat": 'return syscall(SYS_mkdirat, AT_FDCWD, "{0}/folder", 0700) == 0;',
    },
    "read": {
        "ifstream": 'std::ifstream in("{0}/secret"); return in.get() == 115;',
        "open": 'char c = 0; return read(open("{0}/secret", O_RDONLY), &c, 1) == 1;',
        "environment": 'return open("/proc/self/environ", O_RDONLY) >= 0;',
        "memory": 'return open("/proc/self/mem", O_RDONLY) >= 0;',
        "folder": 'return open("{0}", O_RDONLY | O_DIRECTORY) >= 0;',
        "path": 'return open("{0}/secret", O_PATH) >= 0;',
        "stat": 'struct stat s; return stat("{0}/secret", &s) == 0;',
        "chdir": 'return chdir("{0}") == 0;',
        "mapped": 'int f = open("{0}/secret", O_RDONLY);'
        " return mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, f, 0) != MAP_FAILED;",
    },
    "socket": {
        "connect": "sockaddr_in to = {}; to.sin_family = AF_INET; to.sin_port = htons({2});"
        " to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);"
        " return connect(socket(AF_INET, SOCK_STREAM, 0), (sockaddr*)&to, sizeof to) == 0;",
        "udp": "return socket(AF_INET, SOCK_DGRAM, 0) >= 0;",
        "unix": "return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;",
        "pair": "int two[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0;",
        "netlink": "return socket(AF_NETLINK, SOCK_RAW, 0) >= 0;",
        "io_uring": "char p[256] = {}; return syscall(425, 4, p) >= 0;",
    },
    "fork": {
        "fork": "pid_t p = fork(); if (p == 0) _exit(0); return p > 0;",
        "vfork": "pid_t p = vfork(); if (p == 0) _exit(0); return p > 0;",
        "clone": "long p = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);"
        " if (!p) _exit(0); return p > 0;",
        "clone3": "struct { unsigned long f, v[10]; } a = {}; a.v[3] = SIGCHLD;"
        " long p = syscall(435, &a, 64); if (!p) _exit(0); return p > 0;",
        "thread": "try { std::thread([] {}).join(); return true; } catch (...) { return false; }",
        "spawn": 'char* a[] = {(char*)"true", nullptr}; pid_t p;'
        ' return posix_spawn(&p, "/bin/true", nullptr, nullptr, a, nullptr) == 0;',
        "system": 'return system("touch {0}/new") == 0;',
        "popen": 'FILE* f = popen("touch {0}/new", "r"); return f && pclose(f) == 0;',
    },
    "exec": {
        "execl": 'execl("/bin/sh", "sh", "-c", "touch {0}/new", (char*)nullptr); return false;',
        "execveat": 'char* a[] = {(char*)"touch", (char*)"{0}/new", nullptr};'
        ' syscall(SYS_execveat, AT_FDCWD, "/bin/touch", a, a + 2, 0); return false;',
    },
    "kill": {
        "kill": "return kill({1}, SIGKILL) == 0;",
        "tgkill": "return syscall(SYS_tgkill, {1}, {1}, SIGKILL) == 0;",
        "tkill": "return syscall(SYS_tkill, {1}, SIGKILL) == 0;",
        "queue": "sigval v = {}; return sigqueue({1}, SIGTERM, v) == 0;",
        "pidfd": "return syscall(434, {1}, 0) >= 0;",
        "priority": "return setpriority(PRIO_PROCESS, {1}, 19) == 0;",
        "limits": "rlimit l = {1 << 20, 1 << 20}; return prlimit({1}, RLIMIT_STACK, &l, 0) == 0;",
    },
    "ptrace": {
        "seize": "return ptrace(PTRACE_SEIZE, {1}, 0, 0) == 0;",
        "attach": "return ptrace(PTRACE_ATTACH, {1}, 0, 0) == 0;",
        "traceme": "return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0;",
    },
    "executable memory": {
        "mmap": RETURNS_7 + " void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,"
        " MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (p == MAP_FAILED) return false; " + RUNS_IT,
        "mprotect": RETURNS_7 + " void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,"
        " MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
        " if (mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return false; " + RUNS_IT,
        "memfd": 'return syscall(SYS_memfd_create, "x", 0) >= 0;',
        "shared": "int s = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0700); if (s < 0) return false;"
        " void* p = shmat(s, nullptr, SHM_EXEC); shmctl(s, IPC_RMID, nullptr);"
        " return p != (void*)-1;",
        "library": 'return dlopen("libutil.so.1", RTLD_NOW) || dlopen("libanl.so.1", RTLD_NOW);',
    },
    "inherited descriptors": {
        "write": f"for (int d = 3; d < 1024; ++d) if (write(d, {FORGED}, 4) > 0) return true;"
        " return false;",
        "writev": f"iovec v = {{(void*){FORGED}, 4}};"
        " for (int d = 3; d < 1024; ++d) if (writev(d, &v, 1) > 0) return true; return false;",
        "pwrite": f"for (int d = 0; d < 1024; ++d) if (pwrite(d, {FORGED}, 4, 0) > 0) return true;"
        " return false;",
        "stdio": f'for (int d = 3; d < 64; ++d) if (FILE* f = fdopen(d, "w"))'
        f" if (fputs({FORGED}, f) >= 0 && !fflush(f)) return true; return false;",
        "duplicate": "for (int d = 0; d < 1024; ++d) if (dup(d) >= 0) return true; return false;",
        "read": "char c; for (int d = 0; d < 1024; ++d) if (d < 1 || d > 2)"
        " if (read(d, &c, 1) >= 0) return true; return false;",
        "close": "for (int d = 3; d < 1024; ++d) if (close(d) == 0) return true; return false;",
    },
    "the child itself": {
        "handler": "struct sigaction s = {}; s.sa_handler = SIG_IGN;"
        " return sigaction(SIGALRM, &s, nullptr) == 0;",
        "timer": "itimerval t = {{0, 1}, {60, 0}};"
        " return setitimer(ITIMER_REAL, &t, nullptr) == 0;",
        "orphan": "return prctl(PR_SET_PDEATHSIG, 0) == 0;",
        "session": "return setsid() > 0 || setpgid(0, 0) == 0;",
        "namespace": "return unshare(CLONE_NEWUSER) == 0;",
        "bpf": "char a[64] = {}; return syscall(SYS_bpf, 0, a, 64) >= 0;",
    },
}
# Where a control cannot be made to succeed on every machine, so that no control is asked for.
NO_CONTROL = {"io_uring", "bpf", "namespace", "session", "shared", "setxattr", "tmpfile", "memory"}


def plain_program(deed: str) -> str:
    """A program of its own that does the deed: the control."""
    return f'{HEADERS}bool deed() {{ {deed} }}\nint main() {{ if (deed()) puts("{MARK}"); }}\n'


@dataclass
class Scene:
    """A folder, a process and a port that a deed would change. Use as a context manager."""

    folder: Path
    victim: subprocess.Popen[bytes] = field(init=False)
    listener: socket.socket = field(init=False)
    before: dict[str, tuple[int, ...]] = field(init=False)

    def __enter__(self) -> Scene:
        self.folder.mkdir(parents=True)
        (self.folder / "kept").write_text("kept")
        (self.folder / "secret").write_text("secret")
        (self.folder / "empty").mkdir()
        self.victim = subprocess.Popen(["sleep", "600"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.before = self._files()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.listener.close()
        self.victim.kill()
        self.victim.wait()

    def filled(self, deed: str) -> str:
        """The deed's code with this scene's folder, process and port."""
        port = self.listener.getsockname()[1]
        code = deed.replace("{0}", str(self.folder)).replace("{1}", str(self.victim.pid))
        return code.replace("{2}", str(port))

    def changed(self) -> str:
        """What is no longer as it was, seen from outside; empty if all is."""
        if self._files() != self.before:
            return "the files have changed"
        if self.victim.poll() is not None:
            return "the process was ended"
        if os.getpriority(os.PRIO_PROCESS, self.victim.pid) != 0:
            return "the process was slowed"
        status = Path(f"/proc/{self.victim.pid}/status").read_text()
        if "TracerPid:\t0" not in status:
            return "the process is traced"
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return ""
        return "a connection came in"

    def _files(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for path in [self.folder, *self.folder.rglob("*")]:
            s = path.lstat()
            kind = stat.S_IFMT(s.st_mode)
            size = s.st_size if kind == stat.S_IFREG else 0
            found[str(path)] = (s.st_ino, s.st_mode, size, s.st_mtime_ns, s.st_nlink)
        return found
