"""Sources: a hash of tokens that only tokens change, constants, and named sections."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import PROGRAM, REPOSITORY
from course.errors import CourseError
from course.source import Source, live, tokens

REAL = (REPOSITORY / "code" / PROGRAM / "tiled_matmul.cu").read_text()


def source(text: str) -> Source:
    return Source(Path("/x/a.cu"), text.encode(), text)


def sha(text: str) -> str:
    return source(text).tokens_sha256


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int x;", "int  x ;"),
        ("int x;", "int x; // a comment"),
        ("int x;", "int/* a */x;"),
        ("int x;\nint y;", "int x; int y;"),
        ("int x;", "int x; // spliced \\\n still a comment"),
        ("#define A 1\nint x;", "  #  define A /* one */ 1  \n\n\nint x;".replace("#  ", "#")),
        ("#define A 1 + 2\n", "#define A 1 \\\n  + 2\n"),
        ("f<<<g, b>>>(x);", "f <<< g, b >>> (x);"),
    ],
)
def test_layout_and_comments_do_not_change_the_hash(one: str, other: str) -> None:
    """A comment or a re-indent does not make evidence stale."""
    assert sha(one) == sha(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("intx;", "int x;"),
        ("a + ++b", "a++ + b"),
        ("a - -b", "a--b"),
        ("a > > b", "a >> b"),
        ('s = "a b";', 's = "a  b";'),
        ('s = " ";', 's = "";'),
        ('s = "// no";', 's = "";'),
        ('s = "/* no */";', 's = "";'),
        ("c = ' ';", "c = '\\t';"),
        ('R"(a\nb)"', 'R"(a b)"'),
        ("1.5e-3f", "1.5e - 3f"),
        ("#define F(x) x", "#define F (x) x"),
        ("#define A\nB", "#define A B"),
        ("#if 0\nx\n#endif", "#if 1\nx\n#endif"),
        ("#if 0\nx\n#endif", "#if 0\ny\n#endif"),
        ("u8'a'", "u8 'a'"),
        ("x", "X"),
        ("f(a, b)", "f(b, a)"),
    ],
)
def test_a_token_changes_the_hash(one: str, other: str) -> None:
    """What the compiler sees differently hashes differently."""
    assert sha(one) != sha(other)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_any_one_token_of_the_real_source_counts(data: st.DataObject) -> None:
    """Leaving a token out changes the hash; a comment in its place, beside it, does not."""
    words = [token for token in tokens(REAL) if token.strip()]
    at = data.draw(st.integers(0, len(words) - 1))
    assert sha(" ".join(words[:at] + words[at + 1 :])) != sha(" ".join(words))
    commented = " ".join([*words[:at], "/* here */", *words[at:]])
    assert sha(commented) == sha(" ".join(words))


def test_the_real_source_reindented(tmp_path: Path) -> None:
    """Tabs for blanks, CRLF for LF and no comment lines: the same program."""
    lines = [line for line in REAL.split("\n") if not line.lstrip().startswith("//")]
    path = tmp_path / "a.cu"
    path.write_bytes("\r\n".join(line.replace("    ", "\t") for line in lines).encode())
    assert Source.read(path).tokens_sha256 == sha(REAL)
    assert Source.read(path).sha256 != source(REAL).sha256


@settings(deadline=None)
@given(text=st.text(alphabet="ab1 \n\t\"'/*\\#()<>+-R."))
def test_any_text_has_tokens(text: str) -> None:
    """Broken source is hashed as it stands; no blank but a directive's is a token."""
    assert all(token.strip() or token in {" ", "\n"} for token in tokens(text))
    assert sha(text) == sha(text)


def test_constants_are_read_with_their_lines() -> None:
    """Whole-number constexpr constants at the head of a line, and nothing else."""
    text = (
        "constexpr int kTile = 16;  // width\n"
        "static constexpr size_t kCount = 3;\n"
        "constexpr float kHalf = 0.5f;\n"
        "// constexpr int kOld = 8;\n"
        "constexpr int kSum = kTile + 1;\n"
    )
    found = source(text).constants()
    assert {name: (one.value, one.line) for name, one in found.items()} == {
        "kTile": (16, 1),
        "kCount": (3, 2),
    }


NOT_LIVE = {
    "a block comment": "/* constexpr int kTile = 32; */",
    "a block comment of lines": "/*\nconstexpr int kTile = 32;\n*/",
    "a line comment": "//\\\nconstexpr int kTile = 32;",
    "a comment in a comment": "// /*\n/* \nconstexpr int kTile = 32; // */",
    "a raw string": 'const char* s = R"x(\nconstexpr int kTile = 32;\n)x";',
    "a string of two lines": 's = "\\\nconstexpr int kTile = 32;";',
    "a macro": "#define TILE \\\nconstexpr int kTile = 32;",
    "a macro over a comment": "#define TILE /*\n*/ \\\nconstexpr int kTile = 32;",
    "a dead branch": "#if 0\nconstexpr int kTile = 32;\n#endif",
    "a dead branch, oddly written": " # if /**/ \\\n (0) // 1\nconstexpr int kTile = 32;\n#endif",
    "an else": "#if 1\n#else\nconstexpr int kTile = 32;\n#endif",
    "an elif": "#if true\n#elif WIDE\nconstexpr int kTile = 32;\n#endif",
    "a false elif": "#if WIDE\n#elif false\nconstexpr int kTile = 32;\n#endif",
    "an else after a true elif": "#if WIDE\n#elif 1\n#else\nconstexpr int kTile = 32;\n#endif",
    "a branch in a dead one": "#if 0\n#if 1\nconstexpr int kTile = 32;\n#endif\n#endif",
    "a branch before the else": "#if !1\n#if N\n#else\nconstexpr int kTile = 32;\n#endif\n#endif",
}


@pytest.mark.parametrize("text", NOT_LIVE.values(), ids=NOT_LIVE)
def test_what_is_not_compiled_defines_nothing(text: str) -> None:
    """Before or after the live constant, it neither wins nor disagrees."""
    one = "constexpr int kTile = 16;\n"
    assert source(one + text).constants()["kTile"].line == 1
    found = source(f"{text}\n{one}").constants()["kTile"]
    assert (found.value, found.line) == (16, text.count("\n") + 2)


@pytest.mark.parametrize(
    "text",
    [
        "constexpr int kTile = 32;",
        "/* wide */ constexpr int kTile = /* one warp */ 32;",
        "constexpr int kTile =\n    32;",
        "char c = '\"'; // \"\nconstexpr int kTile = 32;",
        "#if 1\nconstexpr int kTile = 32;\n#endif",
        "#if 0\n#elif WIDE\nconstexpr int kTile = 32;\n#endif",
        "#if 0\n#if 1\n#endif\n#else\nconstexpr int kTile = 32;\n#endif",
        "#ifdef WIDE\nconstexpr int kTile = 32;\n#endif",
        "#endif\n#else\nconstexpr int kTile = 32;",
    ],
)
def test_two_live_values_are_refused(text: str) -> None:
    """The control: what is compiled, or may be, is read, and cannot be overruled in silence."""
    assert source(text).constants()["kTile"].value == 32
    assert source(f"{text}\nconstexpr int kTile = 32;").constants()["kTile"].value == 32
    with pytest.raises(CourseError) as caught:
        source(f"{text}\nconstexpr int kTile = 16;").constants()
    told = (caught.value.code, caught.value.line)
    assert told == ("constant-twice", text.count("\n") + 2)
    assert caught.value.message.startswith("the constant `kTile` is 16 here and 32 on line ")


def test_an_octal_number_is_no_constant() -> None:
    """For the compiler 010 is eight."""
    assert source("constexpr int kTile = 010;\nconstexpr int kNone = 0;").constants().keys() == {
        "kNone"
    }


@settings(deadline=None)
@given(text=st.text(alphabet="ab1 \n\t\"'/*\\#()<>+-R."))
def test_what_is_live_stands_where_it_stood(text: str) -> None:
    """Blanking moves nothing, so that a line number holds."""
    assert all(b in {a, " ", '"'} for a, b in zip(text, live(text), strict=True))


def test_sections_are_cut_out_without_markers() -> None:
    """Line numbers are the section's own; sections may overlap."""
    text = "// --8<-- [start:a]\nint x;\n// --8<-- [start:b]\nint y;\n// --8<-- [end:a]\nint z;\n"
    found = source(text + "// --8<-- [end:b]\n").sections()
    assert (found["a"].first, found["a"].last, found["a"].text) == (2, 4, "int x;\nint y;")
    assert (found["b"].first, found["b"].last, found["b"].text) == (4, 6, "int y;\nint z;")


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        ("// --8<-- [start:a]\nx\n", "section-open", 1, "section `a` never ends"),
        ("x\n// --8<-- [end:a]\n", "section-unopened", 2, "section `a` never starts"),
        ("// --8<-- [start:a]\n\n// --8<-- [end:a]\n", "section-empty", 1, "section `a` is empty"),
        (
            "// --8<-- [start:a]\nx\n// --8<-- [start:a]\n",
            "section-twice",
            3,
            "section `a` starts twice: here and on line 1",
        ),
        (
            "// --8<-- [start:a]\nx\n// --8<-- [end:a]\n// --8<-- [start:a]\n",
            "section-twice",
            4,
            "section `a` starts twice: here and on line 1",
        ),
        (
            "// --8<-- start:a\n",
            "section-marker",
            1,
            "not a section marker: // --8<-- start:a",
        ),
    ],
)
def test_a_faulty_section_is_refused(text: str, code: str, line: int, message: str) -> None:
    """Each fault has its line."""
    with pytest.raises(CourseError) as caught:
        source(text).sections()
    assert (caught.value.code, caught.value.line, caught.value.message) == (code, line, message)


def test_the_real_source_has_its_sections() -> None:
    """Control: the shipped source is without fault."""
    assert {"naive", "tiled", "cases"} <= source(REAL).sections().keys()
    assert source(REAL).constants()["kTileDim"].value == 16
