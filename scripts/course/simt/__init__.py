"""The CPU check: runs the very same `.cu` source without a GPU, with every access watched."""

from course.program import Case
from course.simt.cache import check_kernel_cached
from course.simt.check import CheckReport, check_kernel, ladder, trace
from course.simt.child import Walls
from course.simt.control import ensure_caught
from course.simt.engine import Program
from course.simt.launches import Launch, MainReport, launches
from course.simt.report import ADVICE, Counters, Finding, Kind, TraceReport
from course.simt.run import Run
from course.simt.toolchain import Compiler

__all__ = [
    "ADVICE",
    "Case",
    "CheckReport",
    "Compiler",
    "Counters",
    "Finding",
    "Kind",
    "Launch",
    "MainReport",
    "Program",
    "Run",
    "TraceReport",
    "Walls",
    "check_kernel",
    "check_kernel_cached",
    "ensure_caught",
    "ladder",
    "launches",
    "trace",
]
