"""Code that would leave the watching is refused; and what leaves it unseen is never right."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import NAIVE, NAIVE_BODY, SIGNATURE, kernel, write

from course.errors import CourseError
from course.simt import Case, trace

CASE = Case(20, 20, 20)
UNSEEN = '__attribute__((noipa, no_sanitize("thread"))) float at(const float* p) { return *p; }\n'
ATTRIBUTES = [
    'no_sanitize("thread")',
    "no_sanitize_thread",
    "no_instrument_function",
    "naked",
    'optimize("O0")',
    'target("avx2")',
    'section(".other")',
    'alias("at")',
    'ifunc("at")',
    "constructor",
    "destructor",
    "weak",
    "unused, __no_sanitize_thread__",
]
REFUSED = {
    **{a: (f"__attribute__(({a})) " + NAIVE, "the attribute `__attribute__((") for a in ATTRIBUTES},
    "what takes long to refuse": (
        f"__attribute__((const{40 * '____const'}x)) {NAIVE}",
        "the attribute `__attribute__((const____const",
    ),
    "by a macro": (f"#define A __attribute__((weak))\nA {NAIVE}", "the attribute `__attribute__(("),
    "spliced": (f"#define A __attri\\\nbute__((weak))\nA {NAIVE}", "the attribute"),
    "brackets": (f"[[gnu::weak]] {NAIVE}", "the attribute `[[gnu::weak]]"),
    "using": (f"[[using gnu: weak]] {NAIVE}", "the attribute `[[using gnu"),
    "GCC options": (f'#pragma GCC optimize("O0")\n{NAIVE}', "the pragma `#pragma GCC optimize"),
    "spaces": (f"  #  pragma GCC push_options\n{NAIVE}", "the pragma `# pragma GCC push"),
    "clang": (f"#pragma clang attribute push\n{NAIVE}", "the pragma `#pragma clang"),
    "weak": (f"#pragma weak product\n{NAIVE}", "the pragma `#pragma weak"),
    "operator": (f'_Pragma("GCC optimize(0)") {NAIVE}', "the pragma `_Pragma("),
    "assembly by a macro": (f"#define A asm\n{NAIVE}", "inline assembly"),
}
ALLOWED = {
    "attributes": "__attribute__((always_inline)) inline float one() { return 1; }\n"
    "[[nodiscard]] inline float two() { return 2; }\n" + NAIVE,
    "unrolled": kernel(NAIVE_BODY.replace("for (", "\n#pragma unroll 4\nfor (")),
    "in a comment": f"// __attribute__((weak)) #pragma GCC\n/* asm [[gnu::weak]] */ {NAIVE}",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_leaves_is_refused(tmp_path: Path, name: str) -> None:
    text, part = REFUSED[name]
    with pytest.raises(CourseError) as caught:
        trace(write(tmp_path, text), "product", CASE)
    assert caught.value.code == "unsupported"
    assert f"the CPU check does not support {part}" in caught.value.message
    assert caught.value.line


@pytest.mark.parametrize("name", ALLOWED)
def test_control_what_stays_is_judged(tmp_path: Path, name: str) -> None:
    assert trace(write(tmp_path, ALLOWED[name]), "product", CASE).clean


def test_unseen_reads_are_never_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the next way out of the instrumentation is one that nothing refuses."""
    monkeypatch.setattr("course.simt.rewrite.refuse_leaving", lambda source: None)
    body = NAIVE_BODY.replace("a[row * k + p]", "at(a + row * k + p)")
    text = f"{UNSEEN}__global__ void product{SIGNATURE} {{{body}}}\n"
    with pytest.raises(CourseError) as caught:
        trace(write(tmp_path, text), "product", CASE)
    assert caught.value.code == "unwatched"
    assert "400 of the 800 elements of A and B were never seen to be read" in caught.value.message


def test_copying_by_the_library_is_counted(tmp_path: Path) -> None:
    body = NAIVE_BODY.replace("float sum", "float r[64]; memcpy(r, a + row * k, k * 4); float sum")
    text = kernel(body.replace("a[row * k + p]", "r[p]"), before="#include <cstring>\n")
    report = trace(write(tmp_path, text), "product", CASE)
    assert report.clean
    assert report.counters.loads_per_thread == 40
