"""The one gate: pages against source, evidence and CPU check.

`check` is a function that returns findings; the MkDocs hook, the command line, CI and the tests
all call it. `check_project` and `check_page` ask the same of a project that was read already, or
of one page of it. `check_site` proves in the built HTML that what the gate passed has arrived.
"""

from course.check.built import check_site
from course.check.gate import Report, check, check_page, check_project

__all__ = ["Report", "check", "check_page", "check_project", "check_site"]
