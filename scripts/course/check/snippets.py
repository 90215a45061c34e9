"""Does every snippet resolve to the lines its author meant? MkDocs lets most faults pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from course.errors import CourseError, Finding
from course.page import Page, Snippet
from course.project import Project
from course.source import Source


def check_snippets(project: Project, page: Page) -> Iterator[Finding]:
    for directive in page.directives():
        try:
            if isinstance(directive, CourseError):
                raise directive
            if directive.program not in project.unreadable:
                resolve(project, page, directive)
        except CourseError as error:
            yield Finding.of(error, project.root, page.path)


def resolve(project: Project, page: Page, snippet: Snippet) -> tuple[Source, int, int]:
    """The source and the first and last line that a snippet shows. Raises CourseError."""
    source = _source(project, page, snippet)
    lines = source.lines[:-1] if source.lines[-1] == "" else source.lines
    if not any(line.strip() for line in lines):
        raise page.fault("snippet-empty", snippet.line, f"{snippet.path} is empty")
    if snippet.section is not None:
        sections = source.sections()
        if snippet.section not in sections:
            known = ", ".join(sections) or "none"
            message = f"{snippet.path} has no section `{snippet.section}`; it has: {known}"
            raise page.fault("snippet-section", snippet.line, message, "name one of its sections")
        section = sections[snippet.section]
        return source, section.first, section.last
    first, last = snippet.lines or (1, len(lines))
    if not 1 <= first <= last <= len(lines):
        message = f"lines {first} to {last} of {snippet.path}, which has {len(lines)} lines"
        raise page.fault("snippet-lines", snippet.line, message, "name lines that exist")
    return source, first, last


def _source(project: Project, page: Page, snippet: Snippet) -> Source:
    path = PurePosixPath(snippet.path)
    if path.is_absolute() or ".." in path.parts or path.parts[0] != "code" or len(path.parts) < 3:
        message = f"`{snippet.path}` is not a file under code/PROGRAM/"
        raise page.fault("snippet-path", snippet.line, message, "snippets come out of code/")
    program = project.programs.get(snippet.program)
    file = project.root / path
    if program is None or not file.is_file():
        raise page.fault("snippet-path", snippet.line, f"there is no file {snippet.path}")
    for source in program.sources:
        if source.path == file:
            return source
    raise page.fault(
        "snippet-undeclared",
        snippet.line,
        f"{snippet.path} is not among the sources of {program.name}, so no capture vouches for it",
        f"add it to `sources` in code/{program.name}/program.yml",
    )


def check_sections(project: Project) -> Iterator[Finding]:
    """A finding for each section of a source that is none, or that no page shows."""
    used = {
        (directive.path, directive.section)
        for page in project.pages.values()
        for directive in page.directives()
        if isinstance(directive, Snippet)
    }
    for program in project.programs.values():
        for source in program.sources:
            path = project.relative(source.path)
            try:
                sections = source.sections()
            except CourseError as error:
                yield Finding.of(error, project.root, source.path)
                continue
            for section in sections.values():
                if (path, section.name) not in used:
                    yield Finding(
                        path,
                        section.first - 1,
                        "section-unused",
                        f"no page shows the section `{section.name}`",
                        f'show it with --8<-- "{path}:{section.name}", or take its markers out',
                    )
