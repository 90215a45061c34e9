"""The CPU check is part of the gate: a wrong kernel, a wrong count, no compiler."""

from __future__ import annotations

import json

import pytest

from gate.copied import PROGRAM, SOURCE, SPEC, Copy

GUARD = "row < m && aCol < k ? a[row * k + aCol] : 0.0f"


def _cpu_findings(copy: Copy, status: int) -> list[dict[str, str | int]]:
    done = copy.course("check", "--json")
    assert done.returncode == status, done.stdout + done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [finding for finding in findings if finding["code"].startswith("cpu-")]


def test_a_wrong_kernel_refuses(copy: Copy) -> None:
    """A guard on the wrong axis is named with the line it stands on."""
    copy.replace(SOURCE, GUARD, GUARD.replace("row < m", "row < n"))
    findings = _cpu_findings(copy, 1)
    assert {finding["path"] for finding in findings} == {SOURCE}
    bounds = next(f for f in findings if f["code"] == "cpu-out-of-bounds")
    assert bounds["line"] == copy.line(SOURCE, "row < n && aCol")
    assert str(bounds["message"]).startswith("matmulTiled: ")


def test_a_wrong_count_refuses(copy: Copy) -> None:
    """What a thread loads is measured, and held against the formula of the table."""
    copy.replace(SOURCE, "    c[row * n + col] = sum;", "    c[row * n + col] = sum + 0 * a[0];")
    copy.replace(SPEC, "expr: 2 * k\n", "expr: 2 * k + 1 - 1\n")
    findings = [f for f in _cpu_findings(copy, 1) if f["code"] == "cpu-count-differs"]
    assert [(f["path"], f["message"]) for f in findings] == [
        (
            SPEC,
            f"the CPU check counts loads {2 * k + 1} for {case} naive, "
            f"the formula `loads_naive(k)` gives {2 * k}",
        )
        for case, k in (("512x512x512", 512), ("611x613x617", 617), ("256x256x256", 256))
    ]


@pytest.mark.parametrize(("in_ci", "severity", "status"), [("", "notice", 0), ("true", "error", 1)])
def test_no_compiler(
    copy: Copy, monkeypatch: pytest.MonkeyPatch, in_ci: str, severity: str, status: int
) -> None:
    """A machine without a C++ compiler is told so with the cure; in CI that is an error."""
    monkeypatch.setenv("CI", in_ci)
    monkeypatch.setenv("CXX", "no-such-compiler")
    finding, other = _cpu_findings(copy, status)
    assert (finding["severity"], finding["path"]) == (severity, SPEC)
    assert other["path"] == "code/tile-sweep/program.yml"
    assert finding["message"] == (
        "the CPU check did not run: no C++ compiler found: no-such-compiler is not on the PATH"
    )
    assert finding["fix"] == "install one (`apt install g++`), or set CXX"


def test_it_says_what_it_did(copy: Copy) -> None:
    """The control: both kernels pass; left out on request, it says that too."""
    done = copy.course("check")
    line = f"{PROGRAM}: CPU check passed: 2 kernels at 41 cases each, every access watched\n"
    assert (done.returncode, done.stdout.startswith(line)) == (0, True)
    done = copy.course("check", "--no-cpu-check")
    assert done.stdout.startswith(f"{PROGRAM}: CPU check not run: left out on request\n")
