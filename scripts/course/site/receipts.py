"""Receipts: what a number or a claim rests on, numbered in the order in which a page names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from course.formula import Origin
from course.hardware import Card, Hardware
from course.peer_values import again
from course.project import Capture, Project
from course.site.links import Links
from course.site.templates import render


@dataclass(frozen=True)
class Step:
    """One thing that was read on the way to a value; `href` leads to it.

    `means` is of a formula, `again` the command that makes a result of the proof anew.
    """

    kind: str
    text: str
    where: str
    href: str
    means: str = ""
    again: str = ""


@dataclass(frozen=True)
class Receipt:
    """`kind` is value, claim, quote, capture or card; `shown` are the words that it stands for."""

    number: int
    kind: str
    shown: str
    expression: str = ""
    steps: tuple[Step, ...] = ()
    captures: tuple[Capture, ...] = ()
    source: str = ""

    @property
    def anchor(self) -> str:
        return f"receipt-{self.number}"


@dataclass
class Receipts:
    """The receipts of one page. Equal values share one."""

    project: Project
    links: Links
    _all: dict[tuple[str, str, str], Receipt] = field(default_factory=dict)

    def of_expression(
        self, kind: str, shown: str, expression: str, origins: tuple[Origin, ...]
    ) -> Receipt:
        """The receipt of a value or a claim."""
        read = dict.fromkeys((origin.program, origin.key) for origin in origins if origin.key)
        captures = tuple(self._capture(program, name) for program, name in read)
        steps = tuple(self._step(origin) for origin in origins)
        return self._add(kind, shown, expression, steps=steps, captures=captures)

    def of_capture(self, capture: Capture) -> Receipt:
        """The receipt of a whole capture, which all its cells and points share."""
        gpu, path = capture.log.stamp.gpu.name, self.links.relative(capture.log.path)
        return self._add("capture", gpu, "", captures=(capture,), source=path)

    def of_card(self, card: Card, hardware: Hardware) -> Receipt:
        """The receipt of a row of the hardware table: its documents, and how its ridge is made."""
        href = self.links.raw("reference/hardware.yml")
        ridge = f"1000 * {card.fp32_tflops:g} / {card.bandwidth_gbs:g} = {card.ridge:.1f}"
        documents = [hardware.documents[name] for name in card.sources]
        steps = [Step("document", "", document.title, document.url) for document in documents]
        steps.append(Step("formula", ridge, "hardware.yml", href, "ridge point, FLOP a byte"))
        return self._add("card", card.name, "", steps=tuple(steps), source=card.note)

    def of_quote(self, text: str, source: str) -> Receipt:
        return self._add("quote", text, "", source=source)

    def _add(
        self,
        kind: str,
        shown: str,
        expression: str,
        *,
        steps: tuple[Step, ...] = (),
        captures: tuple[Capture, ...] = (),
        source: str = "",
    ) -> Receipt:
        key = (kind, shown, expression or source)
        if key not in self._all:
            number = len(self._all) + 1
            self._all[key] = Receipt(number, kind, shown, expression, steps, captures, source)
        return self._all[key]

    def _capture(self, program: str, name: str) -> Capture:
        return next(c for c in self.project.captures[program] if c.log.name == name)

    def _step(self, origin: Origin) -> Step:
        if origin.kind == "formula":
            return self.formula(origin)
        path, _, line = origin.place.rpartition(":")
        if origin.kind == "proof":
            where = Path(path).name + (f", line {line}" if line != "1" else "")
            href = self.links.place(origin.place)
            return Step("proof", origin.text, where, href, again=again(Path(path)))
        where = "the stamp" if origin.kind == "stamp" else f"line {line}"
        if origin.kind == "source":
            where = origin.place.rpartition("/")[2]
        return Step(origin.kind, origin.text, where, self.links.place(origin.place))

    def formula(self, origin: Origin) -> Step:
        """A formula leads to its lines in the program.yml that declares it."""
        program = self.project.programs[origin.program]
        line = program.line_of(f"{origin.place}:")
        href = self.links.shown(program.folder / "program.yml", line)
        means = program.spec.formulas[origin.place].means
        text = origin.text.removeprefix(f"{means}: ")
        return Step("formula", text, origin.place, href, means)

    def html(self) -> str:
        """The section at the page's end; empty when nothing on the page has a receipt."""
        if not self._all:
            return ""
        named = [capture for receipt in self._all.values() for capture in receipt.captures]
        noted = {capture.log.path: self.of_capture(capture) for capture in named}
        receipts = list(self._all.values())
        return render("receipts.html", receipts=receipts, noted=noted, links=self.links)
