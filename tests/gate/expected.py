"""What a test expects of the gate after one break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gate.copied import LESSON, PROGRAM, Copy

CAPTURE = f"course capture {PROGRAM}"
PUBLISH = f"course publish {LESSON}"
H200 = '```evidence name="h200" program="day16-tiled-matmul" gpu="NVIDIA H200"'

CLOSING = "CPU reference at every element\n    ```\n"


@dataclass(frozen=True)
class Expected:
    """One finding. A message that ends in … is the start of it; any fix will do where it is ""."""

    code: str
    path: str
    line: int
    message: str
    fix: str = ""
    severity: str = "error"


Break = Callable[[Copy], Expected]


class Breaks(list[Break]):
    """The breaks of one kind; used as a decorator, `add` appends a function."""

    def add(self, function: Break) -> Break:
        self.append(function)
        return function
