"""From an instruction's address to the line of the source it was written on."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from elftools.elf.elffile import ELFFile


class Lines:
    """The line table of one compiled source.

    Code inlined from elsewhere (a vector's copy, an intrinsic) counts as the learner's line before
    it in the instruction stream, which is the line that uses it.
    """

    def __init__(self, library: Path, source: Path) -> None:
        rows = []
        with library.open("rb") as file:
            dwarf = ELFFile(file).get_dwarf_info()
            for unit in dwarf.iter_CUs():
                program = dwarf.line_program_for_CU(unit)
                if program is None:
                    continue
                own = _own_files(program, source)
                for entry in program.get_entries():
                    state = entry.state
                    if state is not None and not state.end_sequence:
                        rows.append((state.address, state.line, state.file in own))
        rows.sort(key=lambda row: row[0])
        self._rows = rows
        self._addresses = [row[0] for row in rows]

    def line(self, return_address: int) -> int | None:
        """The line of the call that returns to this address; None where there is none."""
        at = bisect_right(self._addresses, return_address - 1) - 1
        while at >= 0:
            _, line, own = self._rows[at]
            if own and line:
                return int(line)
            at -= 1
        return None


def _own_files(program: object, source: Path) -> set[int]:
    header = program.header  # type: ignore[attr-defined]
    first = 0 if header.version >= 5 else 1
    return {
        number
        for number, entry in enumerate(header.file_entry, first)
        if entry.name.decode(errors="replace").endswith(source.name)
    }
