"""Under ``serve``: pages that cannot have changed are not converted and not rendered again.

MkDocs rebuilds every page after every save. A page is replayed only when everything that can shape it is the same as
before: its own Markdown after all plugins, the configuration, sources.yml and sources.lock, the set of files and their
addresses, every file in docs/ that is not a page (snippets may be included from it), the overrides, and, for the
rendered page, the nav and the titles and front matter of all pages. A page whose template asked for the text of another
one is rendered each time. With a Markdown extension or a plugin that is not known to depend on these alone, nothing is
replayed. Pages with a warning or an error are never replayed, so that MkDocs says it again after each save.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from ...markdown.page import PageContext
from .replay_inputs import PLUGINS, is_known, may_hold_pages, settings_text, state_of
from .replay_templates import RenderedTemplates


@dataclass(frozen=True)
class Rendered:
    """What converting a page left on it, and what the extension found there."""

    content: str
    toc: Any
    title: str | None
    anchors: frozenset[str]
    links: dict[str, dict[str, str]]
    context: PageContext


class _Counter(logging.Handler):
    """Counts warnings, so that a page which caused one is not replayed."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, _record: logging.LogRecord) -> None:
        self.count += 1


class Replay:
    """Remembers pages between the builds of one ``serve``."""

    def __init__(self) -> None:
        self._rendered: dict[str, tuple[str, Rendered]] = {}
        self._counter = _Counter()
        self._site = ""
        self._docs = Path()
        self._markdown_known = False
        self._pages = ""
        self._pending: dict[str, tuple[str, int]] = {}
        self._replayed: dict[str, Rendered] = {}
        self.templates = RenderedTemplates()
        self.restored = 0
        """Pages of the last build that were not converted."""

    def watch(self) -> None:
        """Begin to count warnings."""
        logging.getLogger("mkdocs").addHandler(self._counter)

    def close(self) -> None:
        """Stop counting warnings."""
        logging.getLogger("mkdocs").removeHandler(self._counter)

    def begin(self, config: MkDocsConfig, files: Files, inputs: Iterable[Path]) -> None:
        """Start a build; *inputs* are further files that shape every page."""
        self.restored = 0
        self._pending.clear()
        self._replayed.clear()
        self._markdown_known = all(is_known(extension, config) for extension in config.markdown_extensions)
        self.templates.begin(known=self._markdown_known and set(config.plugins) <= PLUGINS and not config.hooks)
        digest, pages = hashlib.sha256(settings_text(config).encode()), hashlib.sha256()
        for path in inputs:
            digest.update(path.read_bytes() if path.is_file() else b"-")
            digest.update(b"\0")
        for file in sorted(files, key=lambda f: f.src_uri):
            digest.update(f"{file.src_uri}\0{file.url}\0{file.inclusion}\0".encode())
            if file.abs_src_path and not file.generated_by:
                state = state_of(Path(file.abs_src_path))
                (pages if file.is_documentation_page() else digest).update(state)
        if config.theme.custom_dir:
            for path in sorted(Path(config.theme.custom_dir).rglob("*")):
                digest.update(str(path).encode() + state_of(path))
        self._docs = Path(config.docs_dir)
        self._site, self._pages = digest.hexdigest(), pages.hexdigest()

    def prepare(self, page: Page, markdown: str) -> PageContext | None:
        """Return what was found on *page* before, when it can be replayed; its Markdown need not be converted then."""
        uri = page.file.src_uri
        parts = self._pages if may_hold_pages(markdown, self._docs) else ""
        key = hashlib.sha256(f"{self._site}\0{parts}\0{uri}\0{page.meta!r}\0{markdown}".encode()).hexdigest()
        known = self._rendered.get(uri)
        if not self._markdown_known or known is None or known[0] != key:
            self._pending[uri] = (key, self._counter.count)
            return None
        self._replayed[uri] = known[1]
        return known[1].context

    def restore(self, page: Page, files: Files, markdown: str) -> str | None:
        """Give a page that is replayed what converting it left on it, and return its HTML; None for another page."""
        rendered = self._replayed.pop(page.file.src_uri, None)
        if rendered is None:
            return None
        self.restored += 1
        page.markdown = markdown
        page.toc = rendered.toc
        if rendered.title is not None:
            page.title = rendered.title
        page.present_anchor_ids = set(rendered.anchors)
        page.links_to_anchors = {
            file: dict(links)
            for target, links in rendered.links.items()
            if (file := files.get_file_from_path(target)) is not None
        }
        return rendered.content

    def keep(self, page: Page, context: PageContext, *, sound: bool) -> None:
        """Remember how *page* was converted, when it was and nothing was wrong with it."""
        uri = page.file.src_uri
        pending = self._pending.pop(uri, None)
        if pending is None or page.content is None:
            return
        key, warnings = pending
        # The lines of the working tree are not among what the key was made of.
        working = any(quotation.region is not None for quotation in context.quotations)
        if not sound or working or self._counter.count != warnings:
            self._rendered.pop(uri, None)
            return
        links = {file.src_uri: dict(found) for file, found in (page.links_to_anchors or {}).items()}
        anchors = frozenset(page.present_anchor_ids or ())
        self._rendered[uri] = (key, Rendered(page.content, page.toc, page.title, anchors, links, context))

    def connect(self, nav: Navigation, files: Files, env: Environment) -> None:
        """Every page is converted: from here on templates are asked for."""
        self.templates.connect(self._site, nav, files, env)
