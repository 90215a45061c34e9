"""A hostile source ends in a clear report within its limits: no crash, no clean verdict."""

from pathlib import Path

import pytest
from kernels import NAIVE, NAIVE_BODY, kernel, write

from course.errors import CourseError
from course.simt import Case, Program, Run, launches, trace

CASE = Case(20, 20, 20)
FORGED = r'printf("0123456789abcdef {\"id\":0,\"stopped\":0,\"mismatches\":0}\n{\"end\":1}\n");'

# Source and the kind of finding it must end in.
FAULTY = {
    "endless loop": (kernel("while (true) { }"), "hang"),
    "endless loop with loads": (kernel("float s = 0; while (s < 1e9f) s += a[0] * 0;"), "hang"),
    "endless barriers": (kernel("for (;;) __syncthreads();"), "hang"),
    "recursion": (
        kernel(
            "c[0] = deep(a, 1);",
            before="__device__ float deep(const float* a, int i) "
            "{ volatile float x[64]; x[i % 64] = a[0]; return i ? deep(a, i + 1) + x[3] : 0; }\n",
        ),
        "hang",
    ),
    "writes over everything": (
        kernel("for (size_t i = 0;; ++i) { c[i] = 1; c[-i] = 1; }"),
        "out-of-bounds",
    ),
    "writes to zero": (kernel("*(float*)0 = 1;"), "out-of-bounds"),
    "writes far away": (kernel("c[size_t(1) << 40] = 1;"), "out-of-bounds"),
    "divides by zero": (kernel("c[0] = float(int(m) / int(n - 20));"), "wrong-result"),
    "assert": (kernel("assert(m == 1);", before="#include <cassert>\n"), "wrong-result"),
    "trap": (kernel("__trap();"), "wrong-result"),
    "overwrites its inputs": (kernel("((float*)a)[0] = 1;" + NAIVE_BODY), "out-of-bounds"),
    "prints a report": (kernel(FORGED + "c[0] = 1;"), "wrong-result"),
    "prints without end": (kernel('for (;;) printf("more and more\\n");'), "hang"),
    "another thread's stack": (
        kernel(
            "__shared__ float* shared; float mine[4] = {}; shared = mine; __syncthreads();"
            "if (threadIdx.x == 0) shared[1] = 1; c[0] = mine[1];"
        ),
        "out-of-bounds",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_faulty_source_ends_in_a_finding(tmp_path: Path, name: str) -> None:
    text, kind = FAULTY[name]
    with Program(write(tmp_path, text), "product") as program:
        (report,) = program.run([Run(CASE, seconds=1.0)])
    assert not report.clean
    assert kind in {f.kind for f in report.findings}
    assert all(f.line >= 1 and f.fix for f in report.findings)


# Source and the code of the error that says why nothing can be said.
REFUSED = {
    "exit in a constructor": (
        "struct X { X() { exit(0); } } x;\n" + NAIVE,
        "ended-early",
        "exit status 0",
    ),
    "abort in a constructor": ("struct X { X() { abort(); } } x;\n" + NAIVE, "ended-early", "SIG"),
    "huge shared array": (
        kernel("__shared__ float huge[200][200]; huge[0][0] = 1;" + NAIVE_BODY),
        "shared-size",
        "160,000 bytes",
    ),
    "inline assembly": (kernel('asm volatile("nop");'), "unsupported", "inline assembly"),
    "reads a file outside": (f'#include "/etc/passwd"\n{NAIVE}', "include-outside", "/etc/passwd"),
    "climbs out": (f'#include "../../etc/passwd"\n{NAIVE}', "include-outside", ".."),
    "hides the include": (f"#define F </etc/passwd>\n#include F\n{NAIVE}", "unsupported", "macro"),
    "digraph include": (f"%:include </etc/passwd>\n{NAIVE}", "unsupported", "spelling"),
    "an include split over lines": (f'#incl\\\nude "/etc/passwd"\n{NAIVE}', "compile", ""),
    "memory without end": (
        "struct X { X() { for (;;) memset(malloc(1 << 28), 1, 1 << 28); } } x;\n" + NAIVE,
        "ended-early",
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_source_says_why(tmp_path: Path, name: str) -> None:
    text, code, part = REFUSED[name]
    with pytest.raises(CourseError) as caught:
        trace(write(tmp_path, text), "product", CASE)
    assert caught.value.code == code
    assert part in caught.value.message
    assert "root:" not in str(caught.value)  # nothing of the file outside is repeated
    assert caught.value.fix


HARMFUL_MAIN = """
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
int main() {{
  int harm = 0;
  harm |= fopen("{0}/new", "w") != nullptr;
  harm |= (open("{0}/kept", O_WRONLY) >= 0) << 1;
  harm |= (unlink("{0}/kept") == 0) << 2;
  harm |= (fork() >= 0) << 3;
  harm |= (socket(AF_INET, SOCK_STREAM, 0) >= 0) << 4;
  harm |= (kill(getppid(), 0) == 0) << 5;
  harm |= (execl("/bin/true", "true", (char*)nullptr) == 0) << 6;
  return harm;
}}
"""


def test_main_can_harm_nothing(tmp_path: Path) -> None:
    kept = write(tmp_path, "kept", "kept")
    report = launches(write(tmp_path, HARMFUL_MAIN.format(tmp_path)))
    assert report.status == 0
    assert kept.read_text() == "kept"
    assert not (tmp_path / "new").exists()


def test_main_that_never_ends_is_ended(tmp_path: Path) -> None:
    report = launches(write(tmp_path, "int main() { for (;;) { } }"), seconds=1)
    assert report.status is None
    assert "limit" in report.why


def test_control_a_right_kernel_is_clean(tmp_path: Path) -> None:
    assert trace(write(tmp_path, NAIVE), "product", CASE).clean
