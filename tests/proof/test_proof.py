"""The readers of the tools' output, on samples in the tools' documented form."""

import json
from pathlib import Path

import pytest

import gallery
from gallery import Launch
from proof import compare, counters, oclgrind, sanitizers
from proof.build import NOT_RUN, Run, arguments, run, write_json

LOADS = counters.METRICS[0]
NCU = f"""\
==PROF== Connected to process 4711 (/tmp/driver)
==PROF== Profiling "matmulNaive" - 0: 0%....50%....100% - 2 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",\
"Grid Size","Device","CC","{LOADS}","dram__bytes_read.sum"
"","","","","","","","","","","","request","byte"
"0","4711","driver","host","matmulNaive(const float *, ...)","1","7","(16, 16, 1)",\
"(16, 16, 1)","0","9.0","1,048,576","524,288"
"1","4711","driver","host","matmulNaive(const float *, ...)","1","7","(16, 16, 1)",\
"(39, 39, 1)","0","9.0","14,726,556","3014656.000000"
"2","4711","driver","host","matmulNaive(const float *, ...)","1","7","(16, 16, 1)",\
"(5, 9, 1)","0","9.0","34317","0"
"""
MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at matmulTiled(const float *, const float *, float *)+0x8d0 in \
tests/gallery/out-of-bounds-store.cu:28
=========     by thread (0,3,0) in block (0,4,0)
=========     Access at 0x7f1c3aa06180 is out of bounds
=========
{"case": [67, 32, 48], "error": "unspecified launch failure"}
========= ERROR SUMMARY: 416 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at matmulTiled()+0x2b0 in \
tests/gallery/missing-barrier-after-load.cu:17
=========     and Read access at matmulTiled()+0x4c0 in \
missing-barrier-after-load.cu:21 [6144 hazards]
=========
{"case": [64, 32, 48], "wrong": 0, "unwritten": 0}
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
OCLGRIND = """

Work-group divergence detected (barrier)
\tKernel:     matmulTiled
\tWork-group: (2,0,0)
\tOnly 80 out of 256 work-items executed barrier
\tAt line 20 (column 9) of input.cl:
\t  barrier(CLK_LOCAL_MEM_FENCE);
\t

Read-write data race at local memory address 0x2000000000010
\tKernel: matmulTiled
\t
\tFirst entity:  Local(0,0,0)
\tAt line 17 (column 9) of input.cl:

Argument 'c': 8 bytes
  c[0] = 3
  c[1] = -77777
"""


def entry(name: str) -> gallery.Entry:
    return next(found for found in gallery.load() if found.name == name)


def reading(name: str, tool: str, output: str, status: int | None = 0) -> dict[str, object]:
    kernel = entry(name)
    return sanitizers.reading(sanitizers.Job(kernel, tool, kernel.cases[0]), Run(output, status))


def test_ncu_rows_carry_the_counts_of_each_case() -> None:
    naive = counters.subjects()[0]
    rows = list(counters.rows_of(naive, NCU))
    assert [row["metrics"][LOADS] for row in rows] == [1048576, 14726556, 34317]
    assert [row["case"] for row in rows] == [list(case) for case in counters.CASES]
    assert rows[1]["metrics"]["dram__bytes_read.sum"] == 3014656


def test_ncu_rows_of_another_launch_are_refused() -> None:
    naive = counters.subjects()[0]
    with pytest.raises(ValueError, match="ncu saw"):
        list(counters.rows_of(naive, NCU.replace("(39, 39, 1)", "(38, 38, 1)")))
    with pytest.raises(ValueError, match="shorter"):
        list(counters.rows_of(naive, "\n".join(NCU.splitlines()[:-1])))


def test_one_count_that_differs_is_seen_in_row_and_line() -> None:
    metrics = dict.fromkeys([*compare.GLOBAL.values(), *compare.CONFLICTS], 1200)
    row = {"name": "x", "file": "x.cu", "case": [1, 2, 3], "metrics": metrics}
    same = dict.fromkeys([*compare.GLOBAL, "shared_bank_conflicts"], 1200)
    off = same | {"global_load_sectors": 1201}
    counts = iter([same, off])
    equal, other = compare.compare([row, row], lambda _: next(counts))
    assert equal["equal"]
    assert equal["shared_bank_conflicts"] == [2400, 1200]
    assert not other["equal"]
    assert "1,200 != 1,201" in compare.line(other)


def test_a_memcheck_report_names_its_line_and_count() -> None:
    said = reading("out-of-bounds-store", "memcheck", MEMCHECK)
    assert said == {
        "case": [67, 32, 48],
        "error": "unspecified launch failure",
        "summary": "416 errors",
        "reports": True,
        "says": ["Invalid __global__ write of size 4 bytes"],
        "lines": [28],
    }


def test_a_racecheck_report_names_both_lines() -> None:
    said = reading("missing-barrier-after-load", "racecheck", RACECHECK)
    assert said["reports"]
    assert said["lines"] == [17, 21]
    assert said["wrong"] == 0


def test_a_clean_run_a_stopped_run_and_no_run_are_three_things() -> None:
    clean = reading("tile-count-rounded-down", "synccheck", "= ERROR SUMMARY: 0 errors\n")
    stopped = reading("spin-on-flag", "synccheck", "", status=None)
    absent = reading("spin-on-flag", "synccheck", "no such file", status=NOT_RUN)
    assert clean["reports"] is False
    assert "timeout" not in clean
    assert stopped["timeout"] == sanitizers.HANG_LIMIT
    assert absent == {"case": [16, 16, 16], "not_run": "no such file"}


def test_arguments_follow_the_grid_rule() -> None:
    launch = Launch(name="x", path=Path("x.cu"), block=(8, 8), tile=(32, 32), shared=64)
    assert arguments(launch, [(67, 37, 41)]) == ["poison", "8,8", "64", "67,37,41,2,3"]


def test_a_run_that_hangs_is_stopped_with_its_children() -> None:
    done = run(["sh", "-c", "echo begun; sleep 60 & wait"], limit=0.5)
    assert done == Run("begun\n", None)


def test_a_command_that_is_not_there_did_not_run() -> None:
    assert run(["no-such-tool"], limit=1).status == NOT_RUN


def test_json_keeps_short_lists_on_one_line(tmp_path: Path) -> None:
    data = {"a": [{"case": [1, 2, 3], "says": ["[3 hazards]", "x"]}]}
    write_json(tmp_path / "x.json", data)
    text = (tmp_path / "x.json").read_text()
    assert '"case": [1, 2, 3],' in text
    assert json.loads(text) == data


def test_a_twin_is_the_kernel_line_for_line() -> None:
    source = entry("guarded-load-without-else").path.read_text()
    twin = oclgrind.twin(source)
    assert twin is not None
    kernel = source.partition("\nint main()")[0]
    assert len(twin.splitlines()) == len(kernel.splitlines())
    assert "kernel void matmulTiled(global const float* a, global const float* b," in twin
    assert "ulong m, ulong n,\n                            ulong k) {" in twin
    assert "tileA[get_local_id(1)][get_local_id(0)] = a[row * k + aCol];" in twin


def test_what_opencl_cannot_say_has_no_twin() -> None:
    assert oclgrind.twin(entry("warp-shuffle").path.read_text()) is None
    assert oclgrind.twin(entry("templated-tile-8").path.read_text()) is None


def test_oclgrind_reports_are_counted_and_dated_by_line() -> None:
    said = oclgrind.reading(entry("early-return"), Run(OCLGRIND, 0), [3, 4])
    assert said == {
        "case": [67, 37, 41],
        "wrong": 1,
        "unwritten": 1,
        "reports": True,
        "says": {
            "Work-group divergence detected (barrier)": 1,
            "Read-write data race at local memory address …": 1,
        },
        "lines": [17, 20],
    }


@pytest.mark.parametrize(("name", "reports"), [("early-return", True), ("block-1d", False)])
def test_oclgrind_runs_a_twin(name: str, reports: bool, tmp_path: Path) -> None:
    kernel = entry(name)
    text = oclgrind.twin(kernel.path.read_text())
    assert text
    said = oclgrind.reading(kernel, *oclgrind.simulate(kernel, text, tmp_path))
    assert said["reports"] is reports
    assert bool(said["wrong"]) is reports
