"""Ways to break a log, a program or its evidence."""

from __future__ import annotations

import re
import shutil

from course.evidence import render_log
from course.stamp import Stamp
from gate.copied import LESSON, PROGRAM, SOURCE, SPEC, Copy
from gate.expected import CAPTURE, H200, PUBLISH, Break, Breaks, Expected

BREAKS = Breaks()


@BREAKS.add
def stale_evidence(copy: Copy) -> Expected:
    copy.replace(SOURCE, "sum += tileA", "sum -= tileA")
    log = copy.latest().log
    return Expected(
        "block-stale",
        LESSON,
        copy.line(LESSON, H200),
        f"stale evidence: tiled_matmul.cu changed since the capture {log.name} of {log.stamp.time}",
        f"{CAPTURE}  (on NVIDIA H200), then {PUBLISH}",
    )


@BREAKS.add
def other_compiler_flags(copy: Copy) -> Expected:
    copy.replace(SPEC, "-O3", "-O2")
    log = copy.latest().log
    return Expected(
        "block-stale",
        LESSON,
        copy.line(LESSON, H200),
        f"stale evidence: the build command was `{log.stamp.build}` since the capture "
        f"{log.name} of {log.stamp.time}",
    )


@BREAKS.add
def another_run_command(copy: Copy) -> Expected:
    copy.replace(SPEC, "run: ./tiled_matmul", "run: ./tiled_matmul --fast")
    log = copy.latest().log
    return Expected(
        "block-stale",
        LESSON,
        copy.line(LESSON, H200),
        f"stale evidence: the run command was `{log.stamp.run}` since the capture "
        f"{log.name} of {log.stamp.time}",
    )


@BREAKS.add
def a_constant_of_two_values(copy: Copy) -> Expected:
    other = f"code/{PROGRAM}/other.cu"
    copy.path(other).write_text("#ifdef WIDE\nconstexpr int kTileDim = 32;\n#endif\n")
    copy.replace(SPEC, "sources: [tiled_matmul.cu]", "sources: [tiled_matmul.cu, other.cu]")
    line = copy.line(SOURCE, "constexpr int kTileDim")
    return Expected(
        "constant-twice",
        other,
        2,
        f"the constant `kTileDim` is 32 here and 16 in tiled_matmul.cu:{line}",
        "give one of them another name",
    )


@BREAKS.add
def evidence_of_a_program_that_was_removed(copy: Copy) -> Expected:
    shutil.copytree(copy.path(f"evidence/{PROGRAM}"), copy.path("evidence/day17"))
    return Expected(
        "evidence-orphaned",
        "evidence/day17",
        1,
        "evidence of the program day17, which is not under code/: nothing reads it",
        "bring code/day17 back, or remove evidence/day17 in the commit that removes it",
    )


@BREAKS.add
def a_stamp_that_says_a_thing_twice(copy: Copy) -> Expected:
    log = copy.latest().log
    path = copy.project.relative(log.path)
    first = copy.line(path, "run: ./tiled_matmul")
    log.path.write_bytes(
        log.path.read_bytes().replace(b"run: ./tiled_matmul\n", b"run: ./tiled_matmul\n" * 2, 1)
    )
    message = f"not YAML: the key 'run' stands here and on line {first - 1}"
    return Expected("bad-yaml", path, first + 1, message)


@BREAKS.add
def no_evidence_at_all(copy: Copy) -> Expected:
    for path in copy.path(f"evidence/{PROGRAM}").glob("*.log"):
        path.unlink()
    return Expected(
        "no-evidence",
        SPEC,
        1,
        f"the program {PROGRAM} has no evidence: nothing readable in evidence/{PROGRAM}/",
        f"{CAPTURE}  (on a machine with a GPU)",
    )


@BREAKS.add
def a_program_without_a_page(copy: Copy) -> Expected:
    shutil.copytree(copy.path(f"code/{PROGRAM}"), copy.path("code/day17"))
    return Expected(
        "no-page",
        "code/day17/program.yml",
        1,
        "no page has `program: day17` in its front matter, or shows its evidence",
        "write a page with `program: day17` under docs/, or remove code/day17",
    )


@BREAKS.add
def an_edited_output(copy: Copy) -> Expected:
    log = copy.latest().log
    data = log.path.read_bytes()
    log.path.write_bytes(data[:-60] + data[-60:].replace(b"match", b"watch"))
    number = len(log.outputs)
    return Expected(
        "log-edited",
        copy.project.relative(log.path),
        1,
        f"the output of run {number} was edited: its sha256 is …",
    )


@BREAKS.add
def an_edited_stamp(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(log.path.read_bytes().replace(b"driver: 580", b"driver: 999"))
    return Expected(
        "log-edited",
        copy.project.relative(log.path),
        1,
        "the stamp was edited: the log hashes to …",
    )


@BREAKS.add
def a_truncated_log(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(log.path.read_bytes()[:-100])
    number, size = len(log.outputs), len(log.outputs[-1])
    separator = len(f"=== run {number} of {number} ===\n")
    return Expected(
        "log-truncated",
        copy.project.relative(log.path),
        1,
        f"run {number} should have {size} bytes after its separator; {size + separator - 100} are left",
    )


@BREAKS.add
def an_empty_log(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(b"")
    return Expected(
        "log-truncated", copy.project.relative(log.path), 1, "no stamp between two `---` lines"
    )


@BREAKS.add
def a_binary_log(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(b"---\n\xff\xfe\n---\n")
    return Expected("not-text", copy.project.relative(log.path), 1, "byte 0xff is not UTF-8")


@BREAKS.add
def a_bad_stamp(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(log.path.read_bytes().replace(b"memory_mib: 1", b"memory_mib: many 1"))
    return Expected(
        "bad-yaml",
        copy.project.relative(log.path),
        copy.line(copy.project.relative(log.path), "memory_mib"),
        "gpu.memory_mib: Input should be a valid integer, unable to parse string as an integer "
        "(found 'many 143771')",
    )


@BREAKS.add
def a_stamp_without_its_commands(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(log.path.read_bytes().replace(b"run: ./tiled_matmul\n", b""))
    return Expected(
        "bad-yaml",
        copy.project.relative(log.path),
        2,
        "the file: Value error, a capture's stamp lacks run (found …",
    )


@BREAKS.add
def an_unknown_schema(copy: Copy) -> Expected:
    log = copy.latest().log
    log.path.write_bytes(log.path.read_bytes().replace(b"schema: 1", b"schema: 2"))
    return Expected(
        "log-schema",
        copy.project.relative(log.path),
        2,
        "schema 2; this toolchain reads schema 1",
        "use the version of the toolchain that wrote the log, or capture again",
    )


@BREAKS.add
def a_failing_exit_status(copy: Copy) -> Expected:
    log = copy.latest().log
    runs: list[dict[str, int]] = [{} for _ in log.outputs]
    runs[1] = {"exit_status": 1}
    copy.rewrite(log, runs=runs)
    return Expected(
        "verdict-failed", copy.project.relative(log.path), 1, "run 2 ended with exit status 1"
    )


@BREAKS.add
def a_failing_verdict(copy: Copy) -> Expected:
    log = copy.latest().log
    wrong = b"MISMATCH: case 611x613x617"
    outputs = [log.outputs[0][: log.outputs[0].rindex(b"all 3")] + wrong + b"\n", *log.outputs[1:]]
    copy.rewrite(log, outputs)
    line = log.outputs[0].count(b"\n")
    return Expected(
        "bad-output",
        copy.project.relative(log.path),
        1,
        f"run 1: line {line} of the output: program.yml does not say how to read {wrong.decode()!r}",
    )


@BREAKS.add
def fewer_cases_than_declared(copy: Copy) -> Expected:
    log = copy.latest().log
    outputs = [
        output[: output.index(b"611x613x617")]
        + b"\nall 2 cases match the CPU reference at every element\n"
        for output in log.outputs
    ]
    copy.rewrite(log, outputs, verdict="all 2 cases match the CPU reference at every element")
    return Expected(
        "cases-missing",
        copy.project.relative(log.path),
        1,
        "run 1 has no row for 611x613x617 naive, which program.yml declares",
    )


@BREAKS.add
def arithmetic_that_disagrees_with_its_formula(copy: Copy) -> Expected:
    log = copy.latest().log
    outputs = [output.replace(b"            78\n", b"            79\n") for output in log.outputs]
    copy.rewrite(log, outputs)
    line = log.published[: log.published.index("            78\n")].count("\n") + 1
    return Expected(
        "arithmetic-differs",
        copy.project.relative(log.path),
        1,
        f"run 1: line {line} of the output has loads 79, its formula `loads_tiled(k)` gives 78",
    )


@BREAKS.add
def another_card_than_the_stamp_says(copy: Copy) -> Expected:
    log = copy.latest().log
    outputs = [output.replace(b"GPU: NVIDIA H200", b"GPU: NVIDIA H100") for output in log.outputs]
    copy.rewrite(log, outputs)
    return Expected(
        "card-differs",
        copy.project.relative(log.path),
        1,
        "run 1 printed gpu 'NVIDIA H100', the stamp has 'NVIDIA H200'",
    )


@BREAKS.add
def a_published_run_that_is_not_the_median(copy: Copy) -> Expected:
    log = copy.latest().log
    median = log.stamp.published_run or 0
    other = median % len(log.outputs) + 1
    copy.rewrite(log, published_run=other)
    return Expected(
        "not-median",
        copy.project.relative(log.path),
        1,
        f"run {other} is published; the median run is {median}",
    )


@BREAKS.add
def a_rejected_log_of_no_runs(copy: Copy) -> Expected:
    log = copy.latest().log
    plain = log.stamp.model_dump(by_alias=True)
    plain |= {"runs": [], "rejected": "cut short", "published_run": None}
    log.path.write_bytes(render_log(Stamp.model_validate(plain), []))
    path = f"evidence/{PROGRAM}/{log.path.name}"
    return Expected("log-rejected", path, 1, "a rejected run stands in evidence/: cut short")


def _stamped(old: str, new: str, message: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        path = f"evidence/{PROGRAM}/{copy.latest().log.path.name}"
        log = copy.path(path)
        text = re.sub(old, new, log.read_text(), count=1, flags=re.MULTILINE)
        log.write_text(text)
        return Expected("bad-yaml", path, copy.line(path, new), message)

    break_it.__name__ = f"a stamp with {new}"
    return break_it


BREAKS += [
    _stamped(
        "^time: .*$",
        "time: '9999-99-99T99:99:99Z'",
        "time: Value error, time data '9999-99-99T99:99:99Z' does not match format "
        "'%Y-%m-%dT%H:%M:%SZ' (found '9999-99-99T99:99:99Z')",
    ),
    _stamped(
        "^  toolkit: .*$",
        "  toolkit: 12/../../../ESCAPED",
        "cuda.toolkit: String should match pattern '^[0-9]+(\\.[0-9]+)*$' "
        "(found '12/../../../ESCAPED')",
    ),
    _stamped(
        "^  name: .*$",
        "  name: ' '",
        "gpu.name: Value error, a name is empty or does not print (found ' ')",
    ),
]


@BREAKS.add
def a_rejected_log_among_the_evidence(copy: Copy) -> Expected:
    log = copy.latest().log
    copy.rewrite(log, rejected="cut short by Ctrl-C")
    return Expected(
        "log-rejected",
        copy.project.relative(log.path),
        1,
        "a rejected run stands in evidence/: cut short by Ctrl-C",
    )


@BREAKS.add
def a_log_of_another_program(copy: Copy) -> Expected:
    log = copy.latest().log
    copy.rewrite(log, program="day17")
    return Expected(
        "log-misfiled",
        copy.project.relative(log.path),
        1,
        f"the stamp is of `day17`, the folder of `{PROGRAM}`",
    )
