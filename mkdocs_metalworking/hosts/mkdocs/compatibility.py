"""Other plugins that would change a directive before it is read, and the extension listed beside the plugin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape, unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from ...markdown.extension import NAMES, MetalworkingExtension
from ...markdown.page import PageContext
from .code import revealed, with_style

_DELIMITERS = (
    "j2_block_start_string",
    "j2_block_end_string",
    "j2_variable_start_string",
    "j2_variable_end_string",
    "j2_comment_start_string",
    "j2_comment_end_string",
)


_CITES = frozenset({"bibtex", "mkdocs-bibtex"})
"""Plugins that read ``[@key]`` as theirs."""


def check(config: MkDocsConfig, *, cites: bool = True) -> None:
    """Raise ConfigurationError when another plugin takes what is ours.

    The macros plugin may have ``<<`` or ``>>`` as a delimiter; a bibliography reads ``[@key]``, unless *cites* is off.
    """
    other = next((name for name in config.plugins if name in _CITES), None)
    if other is not None and cites:
        raise ConfigurationError(
            f"metalworking: the {other} plugin reads [@key] too, and one of the two would lose its citations; "
            "take one of them out, or write citations: false under metalworking"
        )
    macros = config.plugins.get("macros")
    if macros is None:
        return
    options = dict(macros.config)
    for name in _DELIMITERS:
        value = str(options.get(name) or "")
        if "<<" in value or ">>" in value:
            raise ConfigurationError(
                f"metalworking: the macros plugin has {name}: {value!r}, which would consume excerpt directives; "
                "choose other delimiters, such as [[ and ]]"
            )


def take_over(config: MkDocsConfig) -> dict[str, object]:
    """Take the extension out of the list: it may stand there for an engine without plugins, and the plugin brings it.

    Returns what it is configured with there; beside the plugin, whose options count, that is for the other engine.
    """
    config.markdown_extensions[:] = [
        one  # an extension of ours is left from the build before, where a plugin builds the site again
        for one in config.markdown_extensions
        if str(one) not in NAMES and not isinstance(one, MetalworkingExtension)
    ]
    found: dict[str, object] = {}
    for name in NAMES:
        found.update((config.mdx_configs or {}).pop(name, {}) or {})
    return found


_SHAPING = ("config", "pre_build", "files", "nav", "pre_page", "page_read_source", "page_markdown")
"""Events at which a plugin may make, change, move or leave out pages, or change how they are converted."""
_HARMLESS = frozenset(
    (
        *("search", "material/search", "material/info", "material/offline", "material/optimize", "material/privacy"),
        *(
            "material/social",
            "material/tags",
            "material/typeset",
            "metalworking",
            "metalworking-book",
            "metalworking-cards",
        ),
        *("git-authors", "git-revision-date-localized", "glightbox", "llmstxt", "mike", "minify", "redirects", "rss"),
    )
)
"""Plugins that have such events and, by their code, leave the text of pages and the list of them alone."""


def shaping(config: MkDocsConfig) -> list[str]:
    """Return the plugins and hooks of a site that may make, change, move or leave out pages, by name."""
    names = {id(plugin): name for name, plugin in config.plugins.items()}
    found: dict[str, None] = {}
    for event in _SHAPING:
        for method in config.plugins.events[event]:
            owner = getattr(method, "__self__", None)
            name = names.get(id(owner)) or getattr(method, "__module__", "") or "a hook"
            if name not in _HARMLESS and f"material/{name}" not in _HARMLESS:
                found[name] = None
    return list(found)


def read_by_others(config: MkDocsConfig, plugin: object) -> bool:
    """Tell whether a plugin or a hook beside *plugin* reads pages as they are converted."""
    return any(getattr(one, "__self__", one) is not plugin for one in config.plugins.events["page_content"])


def told_to_others(html: str, page: Page, context: PageContext, config: MkDocsConfig, plugin: object) -> str:
    """Return *html*, a page as it is converted, as others than *plugin* shall read it, who may take it from *page*."""
    if "rss" in config.plugins:
        describe_for_feeds(page, html, context)
    if not read_by_others(config, plugin):
        return html
    page.content = revealed(html, context)
    return page.content


_INCURIOUS = frozenset(
    (
        *("search", "material/search", "material/info", "material/meta", "material/offline", "material/optimize"),
        *("material/privacy", "material/social", "material/tags", "metalworking", "metalworking-cards", "minify"),
        *("redirects", "mike"),
    )
)
"""Plugins that, by their code, do not look at a page's content between the search and the finished page."""


def joins_late(config: MkDocsConfig) -> bool:
    """Tell whether nobody minds that a page's content has no code until its template has made the page."""
    return set(config.plugins) <= _INCURIOUS and not config.hooks


_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_FEED_LENGTH = 160


def describe_for_feeds(page: Page, html: str, context: PageContext) -> None:
    """Give *page* a description, its first paragraph, where the plugin rss would show the Markdown of our grammar."""
    if page.meta.get("description") or not (context.quotations or context.citations):
        return
    texts = (" ".join(unescape(_TAG.sub("", found)).split()) for found in _PARAGRAPH.findall(html))
    text = next((text for text in texts if text), str(page.title or ""))
    page.meta["description"] = escape(text if len(text) <= _FEED_LENGTH else f"{text[: _FEED_LENGTH - 1]}\u2026")


_OURS = re.compile(r'<(?:figure class="mw-excerpt[^"]*"|span class="mw-l[\w -]*"|tbody(?: [\w-]+="[^"]*")*?) id="')
"""An id of ours on an element whose ids print-site leaves alone, though it changes the links to them."""


def fill_kept(files: Iterable[File], fill: Callable[[str, Page], str]) -> None:
    """Finish the copies of pages that the plugin print-site made before all pages were read.

    It puts them on one page and writes every link ``#id`` as ``#page-id``; ids of ours are changed in the same way.
    """
    for file in files:
        kept = getattr(file.page, "html", None)
        if file.page is not None and isinstance(kept, str):
            key = file.page.url.lower().strip().rstrip("/").replace(".html", "").replace("/", "-").lstrip("-")
            html = _OURS.sub(rf"\g<0>{key or 'index'}-", fill(with_style(kept), file.page))
            file.page.html = html  # type: ignore[attr-defined]  # print-site's own
