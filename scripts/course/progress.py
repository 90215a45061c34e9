"""Progress of a long command: a spinner on a terminal, one plain line a step elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.markup import escape


class Progress:
    """`with Progress(console) as progress:` shows the step that is under way."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("") if console.is_terminal else None

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def step(self, text: str) -> None:
        """The command now does what `text` says."""
        if self._status is not None:
            self._status.update(escape(text))
        else:
            self.note(text)

    def note(self, text: str) -> None:
        """A line that stays."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
