"""The harness: judges a learner's kernel, with or without a GPU."""

from course.harness.grade import grade
from course.harness.report import CaseResult, Diagnosis, Report, Time, Traffic

__all__ = ["CaseResult", "Diagnosis", "Report", "Time", "Traffic", "grade"]
