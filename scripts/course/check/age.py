"""Were the published results confirmed lately? The one question of the gate that needs a clock.

The site prints dates and no ages, so a build does not ask it; `course check` does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime

from course.errors import Finding
from course.project import Project
from course.reverify.history import proven


def today() -> date:
    """The day against which ages are judged; SOURCE_DATE_EPOCH sets it, as for other tools."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return now.date()


def check_age(project: Project, day: date) -> Iterator[Finding]:
    """Findings about results that nobody has confirmed for too long, by program.yml's limits."""
    for name, program in project.programs.items():
        limits = program.spec.proof
        for gpu in project.gpus(name) if limits else ():
            known = proven(project, name, gpu)
            if limits is None or known is None:
                continue
            age = (day - date.fromisoformat(known.date)).days
            old = limits.finding_after_days is not None and age > limits.finding_after_days
            limit = limits.finding_after_days if old else limits.notice_after_days
            if limit is not None and age > limit:
                yield Finding(
                    project.relative(known.last.log.path),
                    1,
                    "proof-old",
                    f"the results on {gpu} were last proven on {known.date}, {age} days ago; "
                    f"the limit is {limit} days",
                    f"course reverify {name}  (on {gpu})",
                    "error" if old else "notice",
                )
