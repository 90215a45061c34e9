"""What the counters say of single lines: performance, not failure."""

from __future__ import annotations

from course.simt.lines import Lines
from course.simt.phrases import Raw, once
from course.simt.report import Finding

# More sectors a request than this, for each byte a lane takes, is called uncoalesced: twice what
# lanes side by side need.
SECTORS_PER_BYTE = 2


def advice(raw: Raw, lines: Lines, path: str) -> list[Finding]:
    """Bank conflicts and uncoalesced accesses, one for each line: advice, not failures."""
    told = []
    for site in raw["sites"]:
        line = lines.line(site["pc"])
        if not site["requests"] or line is None:
            continue
        if site["shared"] and site["conflicts"]:
            told.append(
                Finding(
                    "bank-conflict",
                    path,
                    line,
                    f"up to {site['worst']} lanes of a warp meet on one bank of shared memory: "
                    f"{site['conflicts']:,} extra passes in {site['requests']:,} requests",
                    "let neighbouring lanes use neighbouring words, or pad the rows by one",
                    {"ways": site["worst"], "conflicts": site["conflicts"]},
                )
            )
        mean = site["sectors"] / site["requests"]
        if not site["shared"] and mean > min(24, SECTORS_PER_BYTE * site["bytes"]):
            verb = "load" if site["kind"] == 0 else "store"
            told.append(
                Finding(
                    "uncoalesced",
                    path,
                    line,
                    f"a {verb} of a warp touches {mean:.1f} sectors of 32 bytes; lanes side by "
                    f"side would need {site['bytes']}",
                    "let consecutive threads take consecutive columns",
                    {"sectors_per_request": mean},
                )
            )
    return once(told)
