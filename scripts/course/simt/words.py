"""From what the runner saw to what a reader can act on: one sentence of cause, one of cure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course.simt.lines import Lines
from course.simt.loops import innermost_loop_line, loop_line
from course.simt.measures import advice
from course.simt.outline import Outline
from course.simt.phrases import Raw, element, once, thread, times, who, xy
from course.simt.report import Finding, Kind
from course.simt.source import Source

VERBS = {0: "reads", 1: "writes", 2: "updates", 3: "reaches"}


@dataclass(frozen=True)
class Teller:
    """Tells what happened in one source."""

    source: Source
    outline: Outline
    lines: Lines
    path: str

    def findings(self, raw: Raw) -> list[Finding]:
        """All findings of one result, causes before consequences, one for each kind and line."""
        told = [f for fault in raw["faults"] if (f := self.fault(fault)) is not None]
        if raw["stopped"] and not told:
            told.append(self.unended())
        if raw["unwritten"]:
            told.append(self.unwritten(raw))
        return once(told) + advice(raw, self.lines, self.path)

    def fault(self, raw: Raw) -> Finding | None:
        tell: dict[str, Callable[[Raw], Finding | None]] = {
            "out-of-bounds": self._out_of_bounds,
            "input-written": self._input_written,
            "misaligned": self._misaligned,
            "uninitialized-shared": self._uninitialized,
            "stale-shared": self._stale,
            "race": self._race,
            "barrier-divergence": self._divergence,
            "warp-divergence": self._warp_divergence,
            "hang": self._hang,
            "stack": self._stack,
            "assert": self._assert,
            "trap": self._trap,
            "crash": self._crash,
        }
        teller = tell.get(raw["fault"])
        return teller(raw) if teller else None

    # ---- one fault each ------------------------------------------------------------------------

    def _out_of_bounds(self, raw: Raw) -> Finding:
        store = raw["kind"] != 0
        if raw["space"] == "wild" and not raw["array"]:
            where = f"address {raw['number']:#x}, which is in no array"
        else:
            count = raw["array_bytes"] // 4
            side = "before its start" if raw["index"] < 0 else f"it has {count:,} elements"
            where = f"{element(raw)}, {side}"
        cure = (
            f"store only where row and column lie inside {raw['array'] or 'the output'}"
            if store and raw["space"] != "shared"
            else f"declare {raw['array']} as large as its index goes, or mend the index"
            if raw["space"] == "shared"
            else "load only where the index lies inside, and write 0.0f into the tile elsewhere"
        )
        return self._at(
            "out-of-bounds", raw, f"{who(raw)} {VERBS[raw['kind']]} {where}{times(raw)}", cure
        )

    def _input_written(self, raw: Raw) -> Finding:
        return self._at(
            "out-of-bounds",
            raw,
            f"{who(raw)} writes {element(raw)}, which is an input{times(raw)}",
            "write to the output only",
        )

    def _misaligned(self, raw: Raw) -> Finding:
        return self._at(
            "misaligned",
            raw,
            f"{who(raw)} {VERBS[raw['kind']]} {raw['bytes']} bytes at once at {element(raw)}, "
            f"which does not start on {raw['bytes']} bytes{times(raw)}",
            "use wide accesses only where every row starts aligned, and single floats elsewhere",
        )

    def _uninitialized(self, raw: Raw) -> Finding:
        read = self._line(raw["pc"])
        guard = self.outline.guard_of_array(raw["array"])
        what = f"{who(raw)} reads {element(raw)}, which no thread of the block has written"
        if guard is not None:
            what = f"this guarded load has no else, and on line {read} {what}"
        return self._at(
            "uninitialized-shared",
            raw,
            what + times(raw),
            "write every cell of the tile before the barrier, 0.0f where it lies off the edge",
            line=guard,
            reading_line=read,
        )

    def _stale(self, raw: Raw) -> Finding:
        read = self._line(raw["pc"])
        store = self._line(raw["other_pc"])
        return self._at(
            "stale-shared",
            raw,
            f"this load skips {element(raw)} in a later step, so line {read} reads the value of "
            f"an earlier step there ({who(raw)}{times(raw)})",
            "give the guarded load an else: write 0.0f into the tile where it lies off the edge",
            line=self.outline.guard_of_line(store) if store else None,
            reading_line=read,
            store_line=store,
        )

    def _race(self, raw: Raw) -> Finding:
        other_line = self._line(raw["other_pc"]) if raw["other_pc"] else None
        elsewhere = f" on line {other_line}" if other_line else ""
        other_verb = {0: "reads", 1: "writes", 2: "updates"}[raw["other_kind"]]
        verb = VERBS[raw["kind"]]
        if raw["space"] == "global":
            other_verb = "uses" if raw["kind"] == 1 else "writes"
        other = (
            thread(raw["other_thread"])
            if raw["other_thread"] is not None
            else "more than one thread"
        )
        if raw["other_block"] != raw["block"]:
            other += f" of block {xy(raw['other_block'])}"
        cure = (
            "let one thread write each element, or add atomically"
            if raw["space"] == "global"
            else "put __syncthreads() between the two, where every thread of the block reaches it"
        )
        return self._at(
            "race",
            raw,
            f"{who(raw)} {verb} {element(raw)} while {other} {other_verb} it{elsewhere}, with no "
            f"barrier between{times(raw)}",
            cure,
            other_line=other_line,
        )

    def _divergence(self, raw: Raw) -> Finding | None:
        line = self._line(raw["pc"])
        other = self._line(raw["other_pc"]) if raw["other_pc"] else None
        reached, total = raw["number"], raw["total"]
        if other is not None and other == line and reached == total:
            return None
        rest = (
            f"others wait at the barrier on line {other}"
            if other is not None and other != line
            else "the others have left the kernel or take another way"
        )
        return self._at(
            "barrier-divergence",
            raw,
            f"only {reached} of {total} threads of block {xy(raw['block'])} reach this barrier; "
            f"{rest}{times(raw)}",
            "move the barrier out of the branch: guard the loads and the store, never the barrier",
            other_line=other,
        )

    def _warp_divergence(self, raw: Raw) -> Finding:
        return self._at(
            "barrier-divergence",
            raw,
            f"only {raw['number']} of the {raw['total']} lanes that the mask names reach this warp "
            f"operation ({who(raw)})",
            "let every lane of the mask reach it, or name only those that do",
        )

    def _hang(self, raw: Raw) -> Finding:
        line = self._line(raw["pc"])
        loop = (
            loop_line(self.source, raw["array_number"])
            if raw["array_number"] >= 0
            else innermost_loop_line(self.source, line)
            if line
            else None
        )
        count = f" after {raw['number']:,} iterations" if raw["number"] else ""
        what = "the loop on this line has not ended" if loop else "the kernel has not ended"
        where = f"is still at line {line}" if line else "is still in it"
        return self._at(
            "hang",
            raw,
            f"{what}{count}: {who(raw)} {where}",
            "make the loop's condition come false for every thread; nothing another thread does "
            "behind a barrier can be waited for",
            line=loop or line,
        )

    def unended(self) -> Finding:
        """The time was up, and no thread could be asked where it was."""
        return Finding(
            "hang",
            self.path,
            self.outline.kernel.line,
            "the kernel has not ended within its limit of time",
            "make every loop's condition come false for every thread",
        )

    def _stack(self, raw: Raw) -> Finding:
        return self._at(
            "hang",
            raw,
            f"{who(raw)} has used up its stack of 64 KiB: the recursion does not end, or a local "
            "array is too large",
            "end the recursion, or put the array into shared or global memory",
        )

    def _assert(self, raw: Raw) -> Finding:
        return self._at(
            "wrong-result",
            raw,
            f"an assert on this line fails in {who(raw)}",
            "make the asserted condition true for every thread",
            line=raw["number"] or None,
        )

    def _trap(self, raw: Raw) -> Finding:
        return self._at(
            "wrong-result", raw, f"{who(raw)} calls __trap()", "remove what leads to the trap"
        )

    def _crash(self, raw: Raw) -> Finding:
        zero = raw["number"] == 8  # SIGFPE
        what = "divides a whole number by zero" if zero else "makes the processor fault"
        return self._at(
            "wrong-result" if zero else "out-of-bounds",
            raw,
            f"{who(raw)} {what}",
            "test the divisor first" if zero else "mend the address that it uses",
        )

    def unwritten(self, raw: Raw) -> Finding:
        case, (grid_x, grid_y), (columns, rows) = raw["case"], raw["grid"], raw["covered"]
        row, column = divmod(raw["first_unwritten"], case.n)
        line = self.outline.output_guard
        cause, cure = "", "guard the store by row < M and column < N, and nothing else"
        if columns < case.n or rows < case.m:
            line = self.outline.launch or line
            cause = (
                f": the grid of {grid_x}x{grid_y} blocks covers {columns} columns and {rows} rows"
                f" of the {case.n} and {case.m}"
            )
            cure = "round the grid up on both axes: (size + tile - 1) / tile"
        return Finding(
            "unwritten-output",
            self.path,
            line,
            f"{raw['unwritten']:,} elements of C are never written, the first at row {row}, "
            f"column {column}{cause}",
            cure,
            {"row": row, "column": column, "count": raw["unwritten"]},
        )

    # ---- helpers -------------------------------------------------------------------------------

    def _line(self, pc: int) -> int | None:
        return self.lines.line(pc) if pc else None

    def _at(
        self,
        kind: Kind,
        raw: Raw,
        message: str,
        fix: str,
        *,
        line: int | None = None,
        **detail: Any,
    ) -> Finding:
        place = line or self._line(raw["pc"]) or 1
        keys = ("thread", "block", "array", "index", "count", "other_thread", "other_block")
        data = {key: raw[key] for key in keys} | detail
        return Finding(kind, self.path, place, message, fix, data)
