"""Under ``serve``: pages that cannot have changed are not converted and not rendered again.

MkDocs rebuilds every page after every save. A page is replayed only when everything that can shape it is the same as
before: its own Markdown after all plugins, the configuration, sources.yml and sources.lock, the set of files and their
addresses, every file in docs/ that is not a page (snippets may be included from it), the overrides, and, for the
rendered page, the nav and the titles and front matter of all pages. With a Markdown extension or a plugin that is not
known to depend on these alone, nothing is replayed. Pages with a warning or an error are never replayed, so that
MkDocs says it again after each save.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from ...markdown.extension import MetalworkingExtension
from ...markdown.page import PageContext

_EXTENSIONS = frozenset(
    (
        *("abbr", "admonition", "attr_list", "codehilite", "def_list", "extra", "fenced_code", "footnotes"),
        *("legacy_attrs", "md_in_html", "meta", "nl2br", "sane_lists", "smarty", "tables", "toc", "wikilinks"),
        "mkdocs_metalworking",
    )
)
"""Extensions of Python-Markdown whose result depends on the text and the configuration alone; pymdownx has others."""
_INCLUDES = "8<"
"""What the syntax of pymdownx.snippets has in it: such a page may hold text of any other page."""
_PYMDOWNX = "pymdownx."
_PYMDOWNX_UNKNOWN = frozenset({"pymdownx.b64", "pymdownx.pathconverter", "pymdownx.snippets"})
_PLUGINS = frozenset({"search", "material/search", "metalworking"})


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
        self._outputs: dict[str, tuple[str, str]] = {}
        self._counter = _Counter()
        self._site = ""
        self._book = ""
        self._markdown_known = self._templates_known = False
        self._pages = ""
        self._pending: dict[str, tuple[str, int]] = {}
        self._replayed: dict[str, Rendered] = {}
        self.restored = self.replayed = self.rendered = 0
        """Pages of the last build that were not converted, not rendered, and rendered."""

    def watch(self) -> None:
        """Begin to count warnings."""
        logging.getLogger("mkdocs").addHandler(self._counter)

    def close(self) -> None:
        """Stop counting warnings."""
        logging.getLogger("mkdocs").removeHandler(self._counter)

    def begin(self, config: MkDocsConfig, files: Files, inputs: Iterable[Path]) -> None:
        """Start a build; *inputs* are further files that shape every page."""
        self.restored = self.replayed = self.rendered = 0
        self._pending.clear()
        self._replayed.clear()
        self._markdown_known = all(_known(extension, config) for extension in config.markdown_extensions)
        self._templates_known = self._markdown_known and set(config.plugins) <= _PLUGINS and not config.hooks
        digest, pages = hashlib.sha256(_settings(config).encode()), hashlib.sha256()
        for path in inputs:
            digest.update(path.read_bytes() if path.is_file() else b"-")
            digest.update(b"\0")
        for file in sorted(files, key=lambda f: f.src_uri):
            digest.update(f"{file.src_uri}\0{file.url}\0{file.inclusion}\0".encode())
            if file.abs_src_path and not file.generated_by:
                state = _state(Path(file.abs_src_path))
                (pages if file.is_documentation_page() else digest).update(state)
        if config.theme.custom_dir:
            for path in sorted(Path(config.theme.custom_dir).rglob("*")):
                digest.update(str(path).encode() + _state(path))
        self._site, self._pages = digest.hexdigest(), pages.hexdigest()

    # Markdown

    def prepare(self, page: Page, markdown: str) -> PageContext | None:
        """Return what was found on *page* before, when it can be replayed; its Markdown need not be converted then."""
        uri = page.file.src_uri
        parts = self._pages if _INCLUDES in markdown else ""
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

    # Templates

    def connect(self, nav: Navigation, env: Environment) -> None:
        """Every page is converted: take note of the nav and of all titles and front matter, and mind the templates."""
        digest = hashlib.sha256(self._site.encode())
        for item in nav.items:
            _add_item(digest, item)
        for page in nav.pages:
            digest.update(f"{page.url}\0{page.title}\0{page.meta!r}\0".encode())
        self._book = digest.hexdigest()
        if self._templates_known:
            env.template_class = _Minded

    def template_key(self, page: Page, context: dict[str, Any], extra: object) -> None:
        """Put into *context* what decides the rendered page, for the template to find."""
        if not self._templates_known:
            return
        template = page.meta.get("template", "main.html")
        around = [(p.url, p.title) if p else None for p in (page.previous_page, page.next_page)]
        facts = (self._book, template, page.url, page.title, page.edit_url, page.canonical_url, around, extra)
        digest = hashlib.sha256(repr(facts).encode())
        digest.update((page.content or "").encode())
        context["mw_replay"] = _Slot(self, page.file.src_uri, digest.hexdigest())

    def output(self, uri: str, key: str) -> str | None:
        """Return the page rendered before with the same *key*."""
        known = self._outputs.get(uri)
        found = known[1] if known is not None and known[0] == key else None
        self.replayed += found is not None
        return found

    def keep_output(self, uri: str, key: str, output: str) -> None:
        """Remember a rendered page."""
        self.rendered += 1
        self._outputs[uri] = (key, output)


@dataclass(frozen=True)
class _Slot:
    replay: Replay
    uri: str
    key: str


class _Minded(Template):
    """A page's template: renders, or gives back what it rendered before. Templates it includes are not rendered so."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return the page of the context given."""
        context = args[0] if args and isinstance(args[0], dict) else {}
        slot = context.pop("mw_replay", None)
        if slot is None:
            return super().render(*args, **kwargs)
        output: str | None = slot.replay.output(slot.uri, slot.key)
        if output is None:
            output = super().render(*args, **kwargs)
            slot.replay.keep_output(slot.uri, slot.key, output)
        return output


def _known(extension: object, config: MkDocsConfig) -> bool:
    if isinstance(extension, MetalworkingExtension):
        return True
    if not isinstance(extension, str):
        return False
    name = extension.removeprefix("markdown.extensions.")
    if name == "pymdownx.snippets":
        docs = Path(config.docs_dir).resolve()
        options = (config.mdx_configs or {}).get(extension, {})
        bases = options.get("base_path", ["."])
        found = [Path(str(base)).resolve() for base in (bases if isinstance(bases, list) else [bases])]
        # Snippets from docs/ are among the files that are looked at; from anywhere else they are not.
        return not options.get("url_download") and all(base.is_relative_to(docs) for base in found)
    return name in _EXTENSIONS or (name.startswith(_PYMDOWNX) and name not in _PYMDOWNX_UNKNOWN)


def _settings(config: MkDocsConfig) -> str:
    """Return every setting that a page can depend on; what has no plain value is named by its text."""
    values = {name: value for name, value in config.items() if name not in ("plugins", "theme", "markdown_extensions")}
    values["theme"] = dict(config.theme)
    values["markdown_extensions"] = [e for e in config.markdown_extensions if isinstance(e, str)]
    values["plugins"] = {name: dict(plugin.config) for name, plugin in config.plugins.items()}
    return json.dumps(values, default=str, sort_keys=True, skipkeys=True)


def _add_item(digest: Any, item: Any) -> None:
    digest.update(f"{type(item).__name__}\0{item.title}\0{getattr(item, 'url', '')}\0".encode())
    if isinstance(item, Section):
        for child in item.children:
            _add_item(digest, child)
        digest.update(b")")


def _state(path: Path) -> bytes:
    try:
        stat = path.stat()
    except OSError:
        return b"gone"
    return f"{stat.st_mtime_ns}:{stat.st_size}\0".encode()
