"""The host's C++ compiler: finding it, and building the runner and a rewritten source with it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from course import process
from course.errors import CourseError
from course.simt.kept import cache_folder, workshop
from course.simt.rewrite import translation_unit
from course.simt.source import KernelDefinition, Source

RUNTIME = Path(__file__).parent / "runtime"
COMPILE_SECONDS = 60
COMPILE_MEMORY = 3 * 2**30  # bytes
COMPILE_OUTPUT = 4 * 2**20
COMPILE_FILE = 256 * 2**20  # bytes of what it makes

RUNNER_FLAGS = ("-std=c++20", "-O2", "-ftree-vectorize", "-fno-strict-aliasing", "-fno-pie")
COMMON_FLAGS = (
    "-std=c++17",
    "-g1",
    "-fPIC",
    "-fno-plt",
    "-fno-semantic-interposition",  # no function stands in for another, so each can be inlined
    "-fno-strict-aliasing",
    "-fno-finite-loops",  # a loop without end is a fault to find, not one to leave out
    "-w",
)
# An uninitialised variable gets a value that no sum survives, instead of a zero by luck.
PATTERN_FLAG = "-ftrivial-auto-var-init=pattern"
# -O2 keeps what a GPU keeps in registers out of memory. What would change how often an access
# happens, or would split one access over several instructions, is left out.
WATCHED_FLAGS = ("-O2", "-fsanitize=thread", "-fno-tree-vectorize", "-fno-tree-slp-vectorize")
WATCHED_GCC_FLAGS = (
    "-fno-store-merging",
    "-fno-tree-loop-distribute-patterns",
    "-fno-tree-loop-distribution",
    "-fno-thread-jumps",
    "-fno-split-paths",
    "-fno-crossjumping",
    "-fno-tree-tail-merge",
    "-fno-code-hoisting",
    "-Wuninitialized",
    "-Wmaybe-uninitialized",
)
WATCHED_CLANG_FLAGS = (
    "-fno-vectorize",
    "-fno-unroll-loops",
    "-fno-builtin",
    "-Wuninitialized",
    "-Wsometimes-uninitialized",
)
# Calls that read and write memory for a kernel are watched as its own accesses are.
WRAPPED_FLAGS = ("-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",)
UNWATCHED_FLAGS = ("-O3",)
# DT_INIT, DT_FINI and the arrays of both with their sizes; the runner's main.cpp adds the same.
INITIALISERS = (12, 13, 25, 26, 27, 28)
DEFERRED = 0x60000D10
DYNAMIC_ENTRY = 16  # bytes: a tag and a value
DIAGNOSTIC = re.compile(
    r"^(?P<path>[^\n:]+):(?P<line>\d+):(?:\d+:)? "
    r"(?P<kind>fatal error|error|warning|note): (?P<text>.*)$",
    re.M,
)


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler on this machine."""

    command: str
    version: str
    is_clang: bool

    @classmethod
    def find(cls) -> Compiler:
        """The one `CXX` names, else g++, clang++ or c++; CourseError `no-compiler` if none."""
        if sys.platform != "linux":
            raise CourseError(
                "unsupported-system",
                f"the CPU check runs on Linux, not on {sys.platform}",
                fix="use a Linux machine, WSL, a container or Colab",
            )
        wanted = os.environ.get("CXX")
        for name in [wanted] if wanted else ["g++", "clang++", "c++"]:
            path = shutil.which(name)
            if path:
                return _identify(path)
        raise CourseError(
            "no-compiler",
            f"no C++ compiler found: {wanted or 'g++, clang++, c++'} is not on the PATH",
            fix="install one (`apt install g++`), or set CXX",
        )


@cache
def _identify(path: str) -> Compiler:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CourseError(
            "no-compiler", f"{path} does not run: {error}", fix="set CXX to a C++ compiler"
        ) from None
    version = done.stdout.partition("\n")[0].strip()
    if done.returncode or not version:
        raise CourseError(
            "no-compiler", f"{path} --version failed", fix="set CXX to a C++ compiler"
        )
    return Compiler(path, version, "clang" in done.stdout)


@cache
def runtime_hash() -> str:
    """Of every file of the runtime, so that a change of any rebuilds all."""
    digest = hashlib.sha256()
    for path in sorted(RUNTIME.rglob("*")):
        if path.suffix in (".h", ".cpp", ".cu"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def digest_of(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


@cache
def runner(compiler: Compiler) -> Path:
    """The runner, built once for each runtime and compiler. Takes some seconds the first time."""
    target = cache_folder() / f"runner-{digest_of(runtime_hash(), *build_key(compiler))}"
    if target.exists():
        return target
    sources = sorted((RUNTIME / "src").glob("*.cpp"))
    with workshop(target.parent) as built:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda s: _object(compiler, s, built), sources))
        link = ["-no-pie", "-rdynamic", *map(str, objects), "-ldl", "-pthread"]
        _must(compiler, link, built / "runner")
        (built / "runner").replace(target)
    return target


def _object(compiler: Compiler, source: Path, folder: Path) -> Path:
    target = folder / f"{source.stem}.o"
    _must(compiler, [*RUNNER_FLAGS, "-c", str(source)], target)
    return target


def build_key(compiler: Compiler) -> tuple[str, ...]:
    """What a kept build depends on beside its sources: the compiler and every flag."""
    flags = (*RUNNER_FLAGS, *COMMON_FLAGS, *WATCHED_FLAGS, *WATCHED_GCC_FLAGS, *UNWATCHED_FLAGS)
    return (compiler.command, compiler.version, *flags)


def _must(compiler: Compiler, arguments: list[str], made: Path) -> None:
    done = _call(compiler, arguments, made, Path.cwd())
    if done.returncode:
        raise CourseError(
            "runner-not-built",
            f"{compiler.command} ({compiler.version}) cannot build the CPU check: "
            + done.stderr.strip().partition("\n")[0],
            fix="use g++ 11 or clang 14, or newer; set CXX to it",
        )


def _call(
    compiler: Compiler, arguments: list[str], made: Path, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Let the compiler make a file. A hostile source may keep it busy: bounded, and gone with all.

    A shell sets the limits on memory and files, which only a process of its own can have.
    """
    limited = (
        f"ulimit -v {COMPILE_MEMORY // 1024} && ulimit -f {COMPILE_FILE // 512} && "
        'ulimit -c 0 && exec "$@"'
    )
    with tempfile.TemporaryDirectory() as said:
        stdout, stderr = Path(said, "stdout"), Path(said, "stderr")
        finished = process.run(
            ["/bin/sh", "-c", limited, "sh", compiler.command, *arguments, "-o", str(made)],
            folder=folder,
            environment={**os.environ, "LC_ALL": "C"},
            stdout=stdout,
            stderr=stderr,
            longest=COMPILE_SECONDS,
            largest=COMPILE_OUTPUT,
        )
        if finished.ended_for:
            raise CourseError(
                "compile-limit",
                f"the compiler {finished.ended_for} and was ended",
                fix="make the source smaller",
            )
        if not finished.status and not made.is_file():
            message = f"{compiler.command} ends well and makes no file"
            raise CourseError("no-compiler", message, fix="set CXX to a C++ compiler")
        texts = [path.read_text(errors="replace") for path in (stdout, stderr)]
    return subprocess.CompletedProcess(arguments, finished.status, *texts)


@dataclass(frozen=True)
class Warned:
    """A value that the compiler found to be used before it is set."""

    line: int
    text: str


@dataclass(frozen=True)
class Built:
    """A compiled source, ready for the runner."""

    library: Path
    warnings: tuple[Warned, ...]


def build(
    source: Source,
    kernel: KernelDefinition | None,
    expression: str,
    folder: Path,
    *,
    watched: bool,
) -> Built:
    """Compile `source` into `folder`. What the compiler refuses becomes a CourseError."""
    compiler = Compiler.find()
    name = "watched" if watched else "plain"
    unit = folder / f"{name}.cpp"
    unit.write_text(translation_unit(source, kernel, expression, watched=watched))
    flags = [*COMMON_FLAGS, f"-DSIMT_WATCH={int(watched)}"]
    if watched:
        flags += [*WATCHED_FLAGS, PATTERN_FLAG]
        flags += WATCHED_CLANG_FLAGS if compiler.is_clang else WATCHED_GCC_FLAGS
        flags.remove("-w")
    else:
        flags += [*UNWATCHED_FLAGS, PATTERN_FLAG]
    includes = ["-I", str(RUNTIME / "include"), "-iquote", str(source.path.resolve().parent)]
    library, compiled = folder / f"{name}.so", folder / f"{name}.o"
    quiet = "-fno-caret-diagnostics" if compiler.is_clang else "-fno-diagnostics-show-caret"
    arguments = [*flags, *includes, "-include", "cuda_runtime.h", quiet, "-c", str(unit)]
    done = _call(compiler, arguments, compiled, folder)
    if not done.returncode:  # linked without -fsanitize: the runner answers the instrumentation
        wrapped = WRAPPED_FLAGS if watched else ()
        link = _call(compiler, ["-shared", *wrapped, str(compiled)], library, folder)
        if link.returncode:
            raise _refused(source, link.stderr)
        _defer_initialisers(library)
    if done.returncode:
        raise _refused(source, done.stderr)
    return Built(library, tuple(_warned(source, done.stderr)))


def _defer_initialisers(library: Path) -> None:
    """Hide the file's initialisers from the loader: the runner calls them once its walls stand.

    Their entries in the dynamic section get tags that a loader skips, and main.cpp looks for.
    """
    data = bytearray(library.read_bytes())
    with library.open("rb") as file:
        dynamic: Any = ELFFile(file).get_section_by_name(".dynamic")
        at, size = dynamic["sh_offset"], dynamic["sh_size"]
    for place in range(at, at + size, DYNAMIC_ENTRY):
        (tag,) = struct.unpack_from("<q", data, place)
        if tag in INITIALISERS:
            struct.pack_into("<q", data, place, DEFERRED + tag)
    library.write_bytes(data)


def _warned(source: Source, stderr: str) -> Iterator[Warned]:
    """Uninitialised variables, at their declarations where the compiler names them."""
    text = ""
    for match in DIAGNOSTIC.finditer(stderr):
        if match["path"] != str(source.path):
            continue
        if match["kind"] == "warning" and "ninitialized]" in match["text"]:
            text = match["text"].partition(" [")[0]
            yield Warned(int(match["line"]), text)
        elif match["kind"] == "note" and "declared here" in match["text"] and text:
            yield Warned(int(match["line"]), text)


def _refused(source: Source, stderr: str) -> CourseError:
    """The first error, at its line; nothing of files outside the source's folder is repeated."""
    own = source.path.resolve().parent
    for match in DIAGNOSTIC.finditer(stderr):
        if "error" not in match["kind"]:
            continue
        path, text = Path(match["path"]), match["text"]
        if str(path) == "simt-entry":
            return CourseError(
                "kernel-name",
                f"the compiler cannot name this kernel: {text}",
                path=source.path,
                fix='give its template arguments, as in "matmulTiled<16>"',
            )
        if path == source.path or path.resolve().is_relative_to(own):
            return CourseError(
                "compile",
                f"the compiler refuses the source: {text}",
                path=path,
                line=int(match["line"]),
                fix="make it compile; what only nvcc knows is not supported here",
            )
        return CourseError(
            "compile",
            f"the compiler refuses what the source includes or uses of {path.name}",
            path=source.path,
            fix="include files of the source's own folder, or of the compiler",
        )
    missing = re.search(r"undefined (?:reference to|symbol:?) [`']?([^'\n]*)", stderr)
    what = f"`{missing[1]}` is defined nowhere" if missing else stderr.strip().partition("\n")[0]
    return CourseError(
        "compile",
        f"the compiler refuses the source: {what}",
        path=source.path,
        fix="put all the kernel needs into the one file",
    )
