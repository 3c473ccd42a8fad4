"""The plugin ``metalworking-book``: it takes the finished pages of a build and makes books of them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError, PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from ...git.links import place_of
from ...git.places import Premises
from ...git.scratch import Scratch
from ...glossary.chapters import Book
from ...quote.diagnostics import MetalworkingError
from ..files import write_made
from ..mkdocs.assets import EXCERPT_STYLE, PAIR_STYLE, STYLE, TABLE_STYLE
from ..mkdocs.listed import plugin_of
from ..mkdocs.nav import title_of
from ..mkdocs.options import language_of
from ..mkdocs.outside import premises_of
from .leaves import tell_apart
from .volume import Leaf, Volume

_TEXTURES = re.compile(r'<svg class="mw-textures".*?</svg>\s*', re.DOTALL)
FORMS = ("html", "pdf", "epub", "markdown")
_LOG = logging.getLogger("mkdocs.plugins.metalworking.book")


class BookConfig(base.Config):
    """Options of the plugin in mkdocs.yml."""

    folder = c.Type(str, default="build/book")
    forms = c.ListOfItems(c.Choice(FORMS), default=list(FORMS))
    name = c.Type(str, default="")
    paper = c.Type(str, default="A4")


class BookPlugin(BasePlugin[BookConfig]):
    """Makes one page to print, a PDF, an EPUB and Markdown of the book's pages."""

    def __init__(self) -> None:
        self._built: MkDocsConfig | None = None
        self._languages: list[str] = []

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Find the plugin that knows the book."""
        found = plugin_of(config)
        if found is None:
            raise ConfigurationError("metalworking-book: list the plugin metalworking too")
        self._metalworking = found
        self._pages: dict[str, str] = {}
        self._nav = Navigation([], [])
        self._files: dict[str, str] = {}
        self._textures = ""
        if config is not self._built:  # else a plugin builds the same site again, in another language
            self._built, self._languages = config, []
        return config

    @event_priority(-200)
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Remember the nav, after every plugin that changes it."""
        self._nav = nav
        self._files = {unquote(file.url): file.abs_dest_path for file in files.media_files()}
        return nav

    @event_priority(-100)
    def on_page_context(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Take the finished page."""
        self._pages[page.file.src_uri] = page.content or ""
        return context

    @event_priority(-100)
    def on_post_page(self, output: str, page: Page, config: MkDocsConfig) -> str:
        """Take the patterns of drawings, which a template brings."""
        if not self._textures and (match := _TEXTURES.search(output)) is not None:
            self._textures = match[0]
        return output

    @event_priority(-90)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Make the forms, each whole. Raises PluginError where one cannot hold a page, or cannot be written.

        Before ``i18n`` (-100), which from there builds the site in its other languages: each has a book of its own.
        """
        root = Path(config.config_file_path).parent
        premises = premises_of(config)
        try:
            folder = place_of(root / self.config.folder, premises)
            tag = language_of(config)  # of a theme that is told none, always the same
            self._languages.append(f"{tag}-{len(self._languages)}" if tag in self._languages else tag)
            self._make(config, premises, folder, self.config.name or _slug(config.site_name))
        except MetalworkingError as problem:
            raise PluginError(f"metalworking-book: {problem}") from None

    def _make(self, config: MkDocsConfig, premises: Premises, folder: Path, name: str) -> None:
        volume = self._volume(config)
        others = self._languages[1:]
        ending = f".{others[-1]}" if others else ""
        makers: dict[str, Callable[[Path], None]] = {
            "html": lambda path: _html(volume, path, self.config.paper),
            "pdf": lambda path: _pdf(volume, path, self.config.paper),
            "epub": lambda path: _epub(volume, path),
        }
        for form in self.config.forms:
            if form == "markdown":
                number = _markdown(volume, folder, Path(config.site_dir), premises, others)
                _LOG.info("Book: %d pages of Markdown, llms%s.txt", number, ending)
                continue
            path = folder / f"{name}{ending}.{form}"
            with Scratch() as scratch:
                makers[form](draft := Path(scratch, path.name))
                write_made(path, draft.read_bytes(), premises)
            _LOG.info("Book: %s, %.1f MB", path.name, path.stat().st_size / 1e6)

    def _volume(self, config: MkDocsConfig) -> Volume:
        leaves = list(leaves_of(self._nav, self._metalworking.book))
        tell_apart(leaves, self._textures)
        for leaf in leaves:
            leaf.html = leaf.html or self._pages.get(leaf.uri, "")
            if leaf.html and leaf.title and "<h1" not in leaf.html:  # themes write one then
                leaf.html = f"<h1>{escape(leaf.title)}</h1>\n{leaf.html}"
            entry = self._metalworking.entry(leaf.uri)
            leaf.summary = entry.meta.summary if entry is not None else ""
        ours = [STYLE, EXCERPT_STYLE, PAIR_STYLE, TABLE_STYLE]
        site, styles = Path(config.site_dir), dict.fromkeys([*ours, *config.extra_css])
        language = language_of(config)
        return Volume(
            config.site_name,
            config.site_description or "",
            config.copyright or "",
            config.site_url or "",
            language,
            str(site / logo) if (logo := config.theme.get("logo")) and (site / logo).is_file() else "",
            [leaf for leaf in leaves if leaf.html],
            [(site / name).read_text(encoding="utf-8") for name in styles if (site / name).is_file()],
            self._textures,
            self._files,
            direction_of(config.theme.get("direction"), language),
        )


def direction_of(told: object, language: str) -> str:
    """Return ``rtl`` or ``ltr``, as a theme is *told*, or else as Material has it for *language*."""
    usual = language == "ku-IQ" or re.split("[-_]", language)[0] in ("ar", "fa", "he", "ur")
    return "rtl" if (told or ("rtl" if usual else "ltr")) == "rtl" else "ltr"


def leaves_of(nav: Navigation, book: Book[str]) -> Iterator[Leaf]:
    """Yield the pages of the book: the front, the chapters, then the pages of the nav that stand by themselves.

    Sections that are no chapters are about the book, not in it.
    """
    pages = {page.file.src_uri: page for page in nav.pages}

    def leaf(uri: str, **more: Any) -> Leaf:
        page = pages[uri]
        return Leaf(uri, page.url, title_of(page), "", **more)

    for uri in book.front:
        found = leaf(uri)
        if pages[uri].is_homepage:  # its name in a nav is "Home", its title that of the site
            found.title = found.heading = "Introduction"
        yield found
    numbers = count(1)
    for chapter in book.chapters:
        if chapter.alone:
            yield from map(leaf, chapter.pages)
            continue
        number = next(numbers)
        if chapter.opening is None:  # a book opens a chapter all the same
            heading = f"<h1>{escape(chapter.title)}</h1>"
            yield Leaf(f"chapter-{number}.md", f"#{number}", chapter.title, heading, chapter.title, number, True)
        for uri in chapter.all:
            found = leaf(uri, chapter=chapter.title, number=number, opening=uri == chapter.opening)
            found.title = chapter.title if found.opening else found.title
            yield found
    for item in nav.items:
        if isinstance(item, Page) and book.place(item.file.src_uri) is None and item.file.src_uri not in book.front:
            yield leaf(item.file.src_uri)


def _markdown(volume: Volume, folder: Path, site: Path, premises: Premises, others: Sequence[str]) -> int:
    from .llms import write_markdown

    return write_markdown(volume, folder, site, premises, others=others)


def _html(volume: Volume, path: Path, paper: str) -> None:
    from .printable import printable

    path.write_text(printable(volume, paper=paper), encoding="utf-8")


def _pdf(volume: Volume, path: Path, paper: str) -> None:
    from .pdf import write_pdf

    write_pdf(volume, path, paper=paper)


def _epub(volume: Volume, path: Path) -> None:
    from .epub import write_epub

    write_epub(volume, path)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "book"
