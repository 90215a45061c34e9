"""Ways to break a value, a claim, a page or program.yml."""

from __future__ import annotations

from gate.copied import LESSON, PROGRAM, SOURCE, SPEC, Copy
from gate.expected import CLOSING, H200, Break, Breaks, Expected

BREAKS = Breaks()


def _prose(text: str, code: str, message: str, fix: str = "") -> Break:
    def break_it(copy: Copy) -> Expected:
        return Expected(code, LESSON, copy.insert(LESSON, text), message, fix)

    break_it.__name__ = f"prose: {text}"
    return break_it


NO_NAME = "reads no name, so nothing checks it"
LARGE = "gives no number below 10^30"
DEEP = "(" * 3000 + "kTileDim" + ")" * 3000
BY_HAND = 'write it as a value [[= … =]], or as a quotation [["…" from SOURCE]]'
BREAKS += [
    _prose(
        "[[= nope + 1 =]]",
        "value-undefined",
        "[[= nope + 1 =]] 'nope' is undefined",
        "name a figure of this page's evidence blocks, a constant or a formula",
    ),
    _prose(
        "[[= h200.huge.speedup =]]",
        "value-undefined",
        "[[= h200.huge.speedup =]] `h200` has no `huge`; it has small, medium, ragged, gpu, driver, cuda, date, repeats",
    ),
    _prose(
        "[[= h200.ragged.speed =]]",
        "value-undefined",
        "[[= h200.ragged.speed =]] `h200.ragged` has no `speed`; it has naive, tiled, speedup, load_ratio",
    ),
    _prose(
        "[[= kTileDim / 3 =]]",
        "value-undefined",
        "[[= kTileDim / 3 =]] gives 5.333333333333333 without its digits; end it with `| fixed(1)`",
    ),
    _prose(
        "[[= t4.date =]]",
        "value-undefined",
        "[[= t4.date =]] the stamp of `t4` does not know its date",
    ),
    _prose(
        "[[? nope ?]]Nope.[[/?]]",
        "claim-undefined",
        "the condition `nope` 'nope' is undefined",
        "mend the condition",
    ),
    _prose(
        "[[? kTileDim ?]]Sixteen.[[/?]]",
        "claim-undefined",
        "the condition `kTileDim` gives 16, not true or false",
    ),
    _prose('[[= "12 ms" =]]', "value-undefined", f'[[= "12 ms" =]] {NO_NAME}'),
    _prose("[[= 3.5 | fixed(1) =]]", "value-undefined", f"[[= 3.5 | fixed(1) =]] {NO_NAME}"),
    _prose("[[= ceil_div(7, 2) =]]", "value-undefined", f"[[= ceil_div(7, 2) =]] {NO_NAME}"),
    _prose("[[? true ?]]So it is.[[/?]]", "claim-undefined", f"the condition `true` {NO_NAME}"),
    _prose(
        '[[? every_card("2 > 1") ?]]So it is.[[/?]]',
        "claim-undefined",
        f'the condition `every_card("2 > 1")` {NO_NAME}',
    ),
    _prose(
        "[[= [ragged.m, ragged.n] | random =]]",
        "value-undefined",
        "[[= [ragged.m, ragged.n] | random =]] not an expression: No filter named 'random'.",
    ),
    _prose("[[= kTileDim * 10**29 =]]", "value-undefined", f"[[= kTileDim * 10**29 =]] {LARGE}"),
    _prose(
        "[[= 10**5000 =]]", "value-undefined", "[[= 10**5000 =]] takes a power above 1000: 5,000"
    ),
    _prose("[[= 1e308*10 =]]", "value-undefined", f"[[= 1e308*10 =]] {LARGE}"),
    _prose(f"[[= {DEEP} =]]", "value-undefined", f"[[= {DEEP} =]] is nested too deep"),
    _prose("a [[= kTileDim", "mark-syntax", "not a complete mark: [[= kTileDim"),
    _prose(
        "It is 1.53× faster.",
        "figure-unsourced",
        "`1.53×` is typed by hand: nothing checks it",
        BY_HAND,
    ),
    _prose(
        "It takes 0.1 ms.",
        "figure-unsourced",
        "`0.1 ms` is typed by hand: nothing checks it",
        BY_HAND,
    ),
    _prose(
        "It does 4,051 GFLOP/s.",
        "figure-unsourced",
        "`4,051 GFLOP/s` is typed by hand: nothing checks it",
        BY_HAND,
    ),
    _prose(
        "It moves 320 GB/s.",
        "figure-unsourced",
        "`320 GB/s` is typed by hand: nothing checks it",
        BY_HAND,
    ),
    _prose(
        "It is 80 percent of peak.",
        "figure-unsourced",
        "`80 percent` is typed by hand: nothing checks it",
        BY_HAND,
    ),
    _prose(
        "It is 5% more.", "figure-unsourced", "`5%` is typed by hand: nothing checks it", BY_HAND
    ),
    _prose(
        "**2x** faster", "figure-unsourced", "`2x` is typed by hand: nothing checks it", BY_HAND
    ),
]


MEASURED = (  # sentences, and the figure in each that nothing checks
    ("It does 45 TFLOPS.", "45 TFLOPS"),
    ("It does 8000 GFLOPS.", "8000 GFLOPS"),
    ("It takes < 12 ms, the tiled one > 3 ms.", "12 ms"),
    ("It takes 5-10 ms.", "10 ms"),
    ("It changes by -12 %.", "12 %"),
    ("It takes 12&nbsp;ms.", "12 ms"),
    ("It takes **12** ms.", "12 ms"),
    ("It takes {7 ms}.", "7 ms"),
    ("It takes .5 s.", ".5 s"),
    ("It takes 12 nanoseconds.", "12 nanoseconds"),
    ("It takes 4 cycles.", "4 cycles"),
    ("It takes 7 ms/step.", "7 ms"),
    ("It runs at 1980 MHz.", "1980 MHz"),
    ("It draws 700 W.", "700 W"),
    ("It is 3X faster.", "3X"),
    ("It is a 1.5-fold gain.", "1.5-fold"),
    ("It moves 4.8 TB/sec.", "4.8 TB/sec"),
    ("It moves 300 GB/second.", "300 GB/second"),
    ("It moves 300 GB per second.", "300 GB per second"),
    ("It is 1.29&times; faster.", "1.29×"),
    ("It is 1.29&#215; faster.", "1.29×"),
    ("It is 1\u200b.2\u00ad9\u200f× faster.", "1.29×"),
    ("It takes 5\u201110\u202fms.", "10 ms"),
    ("It is **1**.2<b>9</b>× faster.", "1.29×"),
    ("It is 1[[= kTileDim =]]× faster.", "1…"),
)
BREAKS += [
    _prose(text, "figure-unsourced", f"`{figure}` is typed by hand: nothing checks it", BY_HAND)
    for text, figure in MEASURED
]

HIDDEN = (
    "> ```\n> x\n> ```",
    "<!--\n```\n-->",
    "<!-- ``` -->",
    "`<!--` begins a comment and `-->` ends it; <!-- ` -->",
    "```\na fence with `<!--` in it\n```",
    "```",
    "```text\n```\n\n> ```\n> cut off",
)


def _after(text: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        line = copy.insert(LESSON, f"{text}\n\nIt is [[= nope =]].") + text.count("\n") + 2
        return Expected("value-undefined", LESSON, line, "[[= nope =]] 'nope' is undefined")

    break_it.__name__ = f"prose after {text!r}"
    return break_it


BREAKS += [_after(text) for text in HIDDEN]


def _open(text: str, message: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        line = copy.insert(LESSON, text) + text.count("\n")
        return Expected("fence-open", LESSON, line, message, f"write a line {message[-3:]} after")

    break_it.__name__ = f"never closed: {text!r}"
    return break_it


BREAKS += [
    _prose(
        "- a ` b\n- 1.29× ` c",
        "backtick-stray",
        "the backtick closes nothing: - a ` b",
        "close the code in the same paragraph, item, heading or cell, or write \\`",
    ),
    _prose(
        "```text 1.29× faster\n```",
        "fence-info",
        "the site takes this fence for text: ```text 1.29× faster",
        "write a language",
    ),
    _prose("```\na\n````", "fence-open", "the fence is never closed: ```"),
    _open("```", "the fence is never closed: ```"),
    _open("~~~", "the fence is never closed: ~~~"),
    _open("> ~~~", "the fence is never closed: ~~~"),
]


@BREAKS.add
def an_evidence_block_that_is_never_closed(copy: Copy) -> Expected:
    copy.replace(LESSON, CLOSING, CLOSING.partition("\n")[0] + "\n")
    return Expected(
        "fence-open",
        LESSON,
        copy.line(LESSON, H200),
        f"the fence is never closed: {H200}",
        "write a line ``` after its last line, as far in as its first",
    )


@BREAKS.add
def a_false_claim(copy: Copy) -> Expected:
    line = copy.insert(
        LESSON, "[[? t4.ragged.speedup > t4.small.speedup ?]]The ragged case\ngains most.[[/?]]"
    )
    log = copy.latest("Tesla T4").log
    path = f"evidence/{PROGRAM}/{log.path.name}"

    def read(case: str) -> str:
        row = copy.latest("Tesla T4").published.find((case,))
        assert row is not None
        text = copy.path(path).read_text().split("\n")
        number = log.published_line + row.line - 1
        return f"\n  read: {text[number - 1].strip()}  ({path}:{number})"

    return Expected(
        "claim-false",
        LESSON,
        line,
        "not true: “The ragged case gains most.”\n"
        f"  condition: t4.ragged.speedup > t4.small.speedup{read('611x613x617')}{read('256x256x256')}",
        "rewrite the sentence so that it says what the evidence says",
    )


@BREAKS.add
def bad_front_matter(copy: Copy) -> Expected:
    copy.replace(LESSON, "status: in-technical-review", "status: [in")
    return Expected("bad-front-matter", LESSON, 1, "the front matter is not YAML")


def _front(line: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        copy.replace(LESSON, "status: in-technical-review", line)
        return Expected("bad-front-matter", LESSON, 1, "the front matter is not YAML")

    break_it.__name__ = f"front matter: {line[:20]}"
    return break_it


@BREAKS.add
def front_matter_that_mkdocs_skips(copy: Copy) -> Expected:
    copy.path(LESSON).write_text("\n" + copy.path(LESSON).read_text())
    message = "the front matter is not read: its first line or its last is not `---`"
    return Expected("bad-front-matter", LESSON, 1, message, "begin the file with a line `---`")


@BREAKS.add
def a_figure_in_the_title(copy: Copy) -> Expected:
    copy.replace(LESSON, "title: CUDA tiled", "title: 1.29× by CUDA tiled")
    message = "`1.29×` is typed by hand: nothing checks it"
    return Expected("figure-unsourced", LESSON, 1, message, BY_HAND)


NOT_YAML = ("date: 2026-02-30", "x: " + "[" * 3000, 'x: !!int ""', "x: !!bool x")
BREAKS += [_front(line) for line in NOT_YAML]


def _spec(line: str, message: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        copy.path(SPEC).write_text(f"{line}\n{copy.path(SPEC).read_text()}")
        return Expected("bad-yaml", SPEC, 1, message)

    break_it.__name__ = f"program.yml: {line[:20]}"
    return break_it


BOMB = "x0: &x0 [1,1,1,1,1,1,1,1,1]" + "".join(
    f"\nx{n}: &x{n} [{','.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 12)
)
HUGE = "9" * 5000


def _changed(path: str, old: str, new: str, expected: tuple[str, str]) -> Break:
    def break_it(copy: Copy) -> Expected:
        copy.replace(path, old, new)
        code, message = expected
        return Expected(code, path, copy.line(path, new), message)

    break_it.__name__ = f"{new[:40]} in {path}"
    return break_it


BREAKS += [
    _changed(
        SPEC,
        "-arch={arch}",
        "-arch={arch.x}",
        ("bad-yaml", "build: Value error, not a command: 'arch.x'; the one placeholder is {arch}…"),
    ),
    _changed(
        SPEC,
        "verdict: all",
        "verdict: a{99999999999999}",
        ("bad-yaml", "output.verdict: Value error, not a regular expression: …"),
    ),
    _changed(
        LESSON,
        f'--8<-- "{SOURCE}:tiled"',
        f'--8<-- "{SOURCE}:1:{HUGE}"',
        ("snippet-syntax", f'not a snippet directive: --8<-- "{SOURCE}:1:{HUGE}"'),
    ),
]


@BREAKS.add
def a_formula_that_calls_itself(copy: Copy) -> Expected:
    copy.replace(SPEC, "expr: 2 * k\n", "expr: loads_naive(k)\n")
    log = copy.latest().log
    return Expected(
        "arithmetic-differs",
        f"evidence/{PROGRAM}/{log.path.name}",
        1,
        "run 1: line 6 of the output has loads 512, its formula `loads_naive(k)` gives nothing "
        "(is nested too deep)",
    )


@BREAKS.add
def a_constant_of_thousands_of_digits(copy: Copy) -> Expected:
    copy.replace(SOURCE, "constexpr ", f"constexpr int kHuge = {HUGE};\nconstexpr ")
    line = copy.insert(LESSON, "[[= kHuge =]]")
    return Expected("value-undefined", LESSON, line, "[[= kHuge =]] 'kHuge' is undefined")


BREAKS += [
    _spec("date: 2026-02-30", "not YAML: ValueError"),
    _spec('x: !!int ""', "not YAML: IndexError"),
    _spec("x: !!bool x", "not YAML: KeyError"),
    _spec("x: " + "[" * 3000, "not YAML: RecursionError"),
    _spec(BOMB, "x0: Extra inputs are not permitted (found [1, 1, 1, 1, 1, 1, 1, 1, ...])"),
]


@BREAKS.add
def a_page_that_is_not_text(copy: Copy) -> Expected:
    path = copy.path("docs/bad.md")
    path.write_bytes(b"# Title\n\xe9\n")
    return Expected(
        "not-text", "docs/bad.md", 2, "byte 0xe9 is not UTF-8", "save the file as UTF-8"
    )


@BREAKS.add
def a_program_file_with_an_unknown_key(copy: Copy) -> Expected:
    copy.replace(SPEC, "arch: sm_75", "arch: sm_75\narhc: sm_75")
    line = copy.line(SPEC, "arhc")
    return Expected("bad-yaml", SPEC, line, "arhc: Extra inputs are not permitted (found 'sm_75')")


@BREAKS.add
def a_missing_source(copy: Copy) -> Expected:
    copy.path(SOURCE).unlink()
    return Expected("unreadable", SOURCE, 1, "cannot read: No such file or directory")
