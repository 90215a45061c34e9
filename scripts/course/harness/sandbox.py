"""What a submission may ask of the system, by the names that its compiled file asks for.

The walls are the runner's (runtime/src/sandbox.cpp): they stand whatever is asked for. To refuse
what no kernel needs before it runs gives a learner the better message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from course.errors import CourseError

# No kernel has a use for these. With them a file could load a library that multiplies for it,
# start a program, or write to the channel on which its result travels.
NAMES = """
dlopen dlmopen dlsym dlvsym syscall mmap mmap64 mprotect pkey_mprotect mremap memfd_create
mempcpy memccpy bcopy wmemcpy wmemmove swab qsort
fork vfork clone posix_spawn posix_spawnp execl execle execlp execv execve execvp execvpe
fexecve system popen ptrace prctl seccomp kill tgkill process_vm_readv process_vm_writev
write writev pwrite pwrite64 pwritev sendfile splice tee vmsplice dup dup2 dup3 fdopen
dprintf vdprintf socket connect send sendto sendmsg io_uring_setup setrlimit prlimit
sigaction signal pthread_create sleep usleep nanosleep clock_nanosleep pause select poll
_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
"""
FORBIDDEN = frozenset(NAMES.split())

OPEN = (
    "NOT closed in on this machine: the submission runs with limits of time and memory only; "
    "judge files of people you trust, or use Linux on x86-64 or arm64"
)


def screen(library: Path, source: Path) -> None:
    """Raise CourseError `forbidden-call` if the compiled file asks for what no kernel needs."""
    with library.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".dynsym")
        wanted = {s.name for s in symbols.iter_symbols() if s["st_shndx"] == "SHN_UNDEF"}
    found = sorted(wanted & FORBIDDEN)
    if found:
        raise CourseError(
            "forbidden-call",
            f"the file calls `{shown(found[0])}`, which no kernel needs",
            path=source,
            fix=f"remove `{shown(found[0])}`; the kernel's own code is all that is judged",
        )


def shown(symbol: str) -> str:
    return "std::thread" if symbol.startswith("_ZNSt6thread") else symbol
