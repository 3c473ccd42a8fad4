"""Under ``serve``: a page whose template would be given what it was given before is not rendered again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from jinja2 import BytecodeCache, Environment, Template
from jinja2.bccache import Bucket
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from ...markdown.page import PageContext
from .code import finished
from .replay_asked import Asked
from .replay_search import SearchedPages, headings_of


class RenderedTemplates:
    """Remembers rendered pages between the builds of one ``serve``."""

    def __init__(self) -> None:
        self._outputs: dict[str, tuple[str, str]] = {}
        self._book = ""
        self.known = False
        """Whether all that shapes a page is looked at, in this build."""
        self._compiled = _Compiled()
        self.asked = Asked()
        self.searched = SearchedPages()
        self.replayed = 0
        self.rendered = 0

    def begin(self, *, known: bool) -> None:
        """Start a build; *known* when all that shapes a page is looked at."""
        self.searched.begin()
        self.replayed = self.rendered = 0
        self.known = known

    def connect(self, site: str, nav: Navigation, files: Files, env: Environment) -> None:
        """Every page is converted: take note of the nav and of all titles and front matter, and mind the templates.

        *site* tells one state of all else from another.
        """
        digest = hashlib.sha256(site.encode())
        for item in nav.items:
            _add_item(digest, item)
        for page in (file.page for file in files.documentation_pages() if file.page is not None):
            digest.update(f"{page.url}\0{page.title}\0{page.meta!r}\0".encode())
        self._book = digest.hexdigest()
        env.bytecode_cache = self._compiled
        if self.known:
            env.template_class = _Remembering
            self.asked.watch(env)

    def before_search(self, page: Page, config: MkDocsConfig) -> None:
        """*page* is as a search shall read it: it need not read it again when it is as it was."""
        if self.known:
            self.searched.before(page, config)

    def after_search(
        self, page: Page, config: MkDocsConfig, context: dict[str, Any], extra: object, known: PageContext | None
    ) -> None:
        """The search has read *page*, or was kept from it; *extra* is what *context* has beside the page.

        Puts into *context* what decides the rendered page, for the template to find. What stands for the code has the
        seal of *known*, which no other conversion has: the code is put in when the page is rendered, and only then.
        """
        if not self.known:
            return
        self.searched.after(page, config)
        template = page.meta.get("template", "main.html")
        around = [(p.url, p.title) if p else None for p in (page.previous_page, page.next_page)]
        facts = (self._book, template, page.url, page.title, page.edit_url, page.canonical_url, around, extra)
        digest = hashlib.sha256(repr((facts, page.update_date, headings_of(page), page.markdown)).encode())
        digest.update((page.content or "").encode())
        slot = context["mw_replay"] = _Slot(self, page.file.src_uri, digest.hexdigest())
        if known is not None and page.content is not None and slot.output is None:
            page.content = finished(page.content, known)

    def output(self, uri: str, key: str) -> str | None:
        """Return the page rendered before with the same *key*."""
        known = self._outputs.get(uri)
        return known[1] if known is not None and known[0] == key else None

    def keep_output(self, uri: str, key: str, output: str) -> None:
        """Remember a rendered page, unless it shows something of another one."""
        self.rendered += 1
        if not self.asked.others:
            self._outputs[uri] = (key, output)


class _Compiled(BytecodeCache):
    """Templates as Jinja compiled them, found by their names and texts. In memory alone: they are run."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        kept = self._kept.get(bucket.key)
        if kept is not None:
            bucket.bytecode_from_string(kept)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


@dataclass(frozen=True)
class _Slot:
    templates: RenderedTemplates
    uri: str
    key: str

    @property
    def output(self) -> str | None:
        """What was rendered before."""
        return self.templates.output(self.uri, self.key)


class _Remembering(Template):
    """A page's template: renders, or gives back what it rendered before. Templates it includes are not rendered so."""

    def render(self, *args: Any, **kwargs: Any) -> str:
        """Return the page of the context given."""
        context = args[0] if args and isinstance(args[0], dict) else {}
        slot = context.pop("mw_replay", None)
        if slot is None:
            return super().render(*args, **kwargs)
        output: str | None = slot.output
        if output is not None:
            slot.templates.replayed += 1
            return output
        slot.templates.asked.begin(slot.uri)
        output = super().render(*args, **kwargs)
        slot.templates.keep_output(slot.uri, slot.key, output)
        return output


def _add_item(digest: Any, item: Any) -> None:
    digest.update(f"{type(item).__name__}\0{item.title}\0{getattr(item, 'url', '')}\0".encode())
    if isinstance(item, Section):
        for child in item.children:
            _add_item(digest, child)
        digest.update(b")")
