"""The MkDocs hook: hands its events to one build. `mkdocs build` refuses, `mkdocs serve` shows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from course.errors import CourseError
from course.net import own_fault
from course.site.build import Build
from course.site.fences import custom_fences
from course.site.published import page_markdown

log = get_plugin_logger("course")

STYLES = "assets/styles.css"

# The theme stops transitions while colours are switched, by a rule for every element, and switches
# them on every load: a third of all style that a phone computes then.
_COLOURS = re.compile(r"assets/stylesheets/palette\..*\.css")
_WHILE_SWITCHING = re.compile(r"\[data-md-color-switching\] [^{}]*\{[^{}]*\}")

_serving = False
_build: Build | None = None


def _current() -> Build:
    if _build is None:
        raise PluginError("the course hook was not asked for its gate (on_pre_build)")
    return _build


def _cpu_check() -> bool:
    """Not where it is switched off; the index says so then. Kept results spare who serves."""
    return os.environ.get("COURSE_CPU_CHECK") != "off"


@contextmanager
def _refusing() -> Iterator[None]:
    """What goes wrong in here refuses the build with a message, never with a traceback."""
    try:
        yield
    except CourseError as error:
        raise PluginError(str(error)) from error
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(str(own_fault(error))) from error


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    global _serving
    _serving = command == "serve"


@_refusing()
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Snippets come from the project's root, whatever the working directory."""
    if not config.repo_url:
        config.edit_uri = None  # there is nowhere to edit
    root = Path(config.config_file_path).parent
    config.mdx_configs.setdefault("pymdownx.snippets", {})["base_path"] = [str(root)]
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences["custom_fences"] = [
        *fences.get("custom_fences", []),
        *custom_fences(lambda: _build.current if _build else None),
    ]
    return config


@_refusing()
def on_pre_build(config: MkDocsConfig) -> None:
    """Run the gate before MkDocs empties site/. Raises PluginError when it refuses."""
    global _build
    root = Path(config.config_file_path).parent
    _build = Build.start(root, config.repo_url or "", cpu_check=_cpu_check())
    if _build.errors and not _serving:
        raise PluginError(_build.refusal())
    for finding in _build.report.findings:
        log.warning(str(finding)) if _serving else log.info(str(finding))


@_refusing()
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Publish every declared source and every log, each with a page that shows it."""
    for published in _current().published.values():
        content = page_markdown(published)
        page = File.generated(
            config, published.source_uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV
        )
        page.dest_uri = page.url = published.url
        files.append(page)
        files.append(File.generated(config, published.path, abs_src_path=str(published.file)))
    _join_styles(files, config)
    _ease_switching(files, config)
    return files


def _join_styles(files: Files, config: MkDocsConfig) -> None:
    """Make one file of `extra_css`: a page is painted after one request for it instead of seven."""
    sheets = []
    for path in config.extra_css:
        sheet = files.get_file_from_path(path)
        if sheet is None:
            raise PluginError(f"mkdocs.yml: extra_css names {path}, which is not in docs/")
        sheets.append(sheet)
        files.remove(sheet)
    content = "\n".join(sheet.content_string for sheet in sheets)
    files.append(File.generated(config, STYLES, content=content))
    config.extra_css = [STYLES]


def _ease_switching(files: Files, config: MkDocsConfig) -> None:
    """Publish the theme's colours without its rule for every element."""
    for sheet in [file for file in files if _COLOURS.fullmatch(file.src_uri)]:
        files.remove(sheet)
        content = _WHILE_SWITCHING.sub("", sheet.content_string)
        files.append(File.generated(config, sheet.src_uri, content=content))


@_refusing()
def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return _current().markdown(markdown, page.file.src_uri, page.url)


@_refusing()
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return _current().content(html, page.file.src_uri, page.url)


def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Any) -> Any:
    """Only pages with figures load the scripts for them."""
    context["has_figures"] = page.file.src_uri in _current().figures
    return context


@_refusing()
def on_post_build(config: MkDocsConfig) -> None:
    """The packed sitemap carries the time of the build, which must not go into the site."""
    (Path(config.site_dir) / "sitemap.xml.gz").unlink(missing_ok=True)
