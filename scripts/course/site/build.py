"""One build of the site: the gate's report, and every page that is made from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from course.check import Report, check
from course.errors import Finding
from course.net import netted
from course.site import banner
from course.site.faults import site_findings
from course.site.links import Links
from course.site.pages import SitePage
from course.site.published import PublishedFile, page_html, published_files

# Tokens of code without a colour of their own: a sixth of the elements of a lesson.
_UNCOLOURED = re.compile(r'<span class="[nopw]">([^<]*)</span>')


@dataclass
class Build:
    """`current` is the page that MkDocs is working on: it renders one page after the other."""

    report: Report
    repo_url: str
    published: dict[str, PublishedFile] = field(default_factory=dict)
    figures: set[str] = field(default_factory=set)
    current: SitePage | None = None

    @classmethod
    def start(cls, root: Path, repo_url: str, *, cpu_check: bool) -> Build:
        """Run the gate. Raises CourseError when the project cannot be read at all."""
        report = check(root, cpu_check=cpu_check)
        drawn = netted(partial(site_findings, report.project), root)
        findings = sorted({*report.findings, *drawn})
        return cls(
            replace(report, findings=tuple(findings)),
            repo_url,
            {file.source_uri: file for file in published_files(report.project)},
        )

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.report.findings if finding.severity == "error"]

    def links(self, url: str) -> Links:
        return Links(self.report.project.root, self.repo_url, url)

    def markdown(self, markdown: str, uri: str, url: str) -> str:
        """The page's Markdown, edited; pages that nobody wrote stay as they are."""
        self.current = None
        project = self.report.project
        if uri not in project.pages:
            return markdown
        findings = banner.findings_for(uri, self.report.findings, project)
        self.current = SitePage(self.report, uri, self.links(url), findings)
        return self.current.markdown(markdown)

    def content(self, html: str, uri: str, url: str) -> str:
        """The page's HTML with all of ours in it."""
        if uri in self.published:
            html += page_html(self.published[uri], self.report.project, self.links(url))
        elif self.current is not None:
            html = self.current.content(html)
            if self.current.has_figures:
                self.figures.add(uri)
        return _UNCOLOURED.sub(r"\1", html)

    def refusal(self) -> str:
        """Why there is no site: every finding, and how many there are."""
        return "\n".join(self._refusal())

    def _refusal(self) -> Iterator[str]:
        errors = self.errors
        yield f"the gate refuses this build: {len(errors)} finding{'s' * (len(errors) != 1)}."
        yield from (str(finding) for finding in errors)
        yield "Nothing was written: site/ is as it was."
