"""Ways to break a value, a claim, a page or program.yml."""

from __future__ import annotations

from gate.copied import LESSON, PROGRAM, SOURCE, SPEC, Copy
from gate.expected import Break, Breaks, Expected

BREAKS = Breaks()


def _prose(text: str, code: str, message: str, fix: str = "") -> Break:
    def break_it(copy: Copy) -> Expected:
        return Expected(code, LESSON, copy.insert(LESSON, text), message, fix)

    break_it.__name__ = f"prose: {text}"
    return break_it


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
