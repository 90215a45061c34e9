"""Are the kept results of the proof about today's gallery?"""

from __future__ import annotations

from collections.abc import Iterator

from course.errors import CourseError, Finding
from course.peers import PLACE
from course.project import Project


def check_proof(project: Project) -> Iterator[Finding]:
    """A kernel of the gallery that changed must go through the tools again."""
    try:
        peers = project.peers
    except CourseError as error:
        yield Finding.of(error, project.root, project.root / PLACE)
        return
    for name, file in peers.stale() if peers else ():
        path = project.relative(peers.path(name)) if peers else ""
        message = f"{file} changed since the proof ran: its sha256 is not the one in the result"
        yield Finding(path, 1, "proof-stale", message, _AGAIN[name])


_AGAIN = {
    "sanitizers": "on a machine with a GPU: tests/proof/gpu.sh tests/proof/results/h200",
    "oclgrind": "cd tests && python -m proof.oclgrind proof/results",
    "ours": "cd tests && python -m proof.ours proof/results/ours.json",
}
