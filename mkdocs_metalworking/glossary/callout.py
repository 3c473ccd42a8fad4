"""The callout for readers who know something else: a page's front matter, checked, and how a site's callouts speak.

A site says from what to what its readers come (CUDA to Metal, PyTorch to JAX), under which key of the front matter the
callout stands, and which lists of pages elsewhere it may name.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity, reason_of
from ..quote.lines import text_lines
from ..quote.quantities import Quantities
from ..quote.quantity_mentions import plain_text
from ..quote.schema import Schema, packaged
from ..quote.suggest import did_you_mean
from ..quote.texts import read_text
from ..quote.yamldoc import YamlDocument, load_yaml

_FENCE = re.compile(
    r"\A---[ \t]*\r?\n(?P<yaml>.*?)(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_KEYED = re.compile(r":(?:\s|$)|^[^\S\n]*[{?#]", re.MULTILINE)
_OPTIONS = ("from", "to", "key", "required", "links")
_FIELDS = frozenset({"term", "verdict", "aspect", "apis", "carries", "misleads"})


class Verdict(StrEnum):
    """How far knowledge of the one carries to the other. The words that readers see are labels of the same names."""

    TRANSFERS = "transfers"
    RESIZED = "resized"
    UNLEARN = "unlearn"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class LinkList:
    """Pages elsewhere that a callout may name, by a slug that stands behind ``url``; without ``titles``, any slug."""

    name: str
    label: str
    url: str
    titles: tuple[tuple[str, str], ...] = ()

    def title(self, slug: str) -> str:
        """Return a readable name for *slug*: what the list says, else its last part in words."""
        words = slug.rpartition("/")[2].replace("-", " ")
        return dict(self.titles).get(slug) or words[:1].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class Callouts:
    """How the callouts of a site speak: readers come from ``source`` to ``target``; the front matter has ``key``."""

    source: str
    target: str
    key: str = "callout"
    required: bool = False
    links: tuple[LinkList, ...] = ()

    @classmethod
    def of(cls, option: object, root: Path, read: Callable[[Path], str] = read_text) -> Callouts | None:
        """Read the option ``callouts``; None when a site asks for none. Paths start at *root*.

        Raises MetalworkingError (``config``).
        """
        if not option:
            return None
        if not isinstance(option, Mapping) or not (option.get("from") and option.get("to")):
            raise _wrong("callouts says not from what to what", "write callouts: {from: PyTorch, to: JAX}")
        for name in option:
            if name not in _OPTIONS:
                raise _wrong(f"callouts has no option {name!r}", did_you_mean(str(name), _OPTIONS, ", ".join(_OPTIONS)))
        lists = option.get("links") or {}
        if not isinstance(lists, Mapping):
            raise _wrong("callouts: links is no mapping", "write links: {name: {label: …, url: …}}")
        links = tuple(_link_list(str(name), entry, root, read) for name, entry in lists.items())
        key = str(option.get("key") or "callout")
        return cls(str(option["from"]), str(option["to"]), key, bool(option.get("required")), links)


def _link_list(name: str, entry: object, root: Path, read: Callable[[Path], str]) -> LinkList:
    if name in _FIELDS:
        raise _wrong(f"callouts: a list of links cannot be called {name}", "that is a part of the callout")
    if not isinstance(entry, Mapping) or not (entry.get("label") and entry.get("url")):
        raise _wrong(
            f"callouts: links: {name} has no label and url", "write {label: In the other book, url: https://…/}"
        )
    titles: list[tuple[str, str]] = []
    if entry.get("pages"):
        try:
            lines = read(root / str(entry["pages"])).splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise _wrong(f"callouts: links: {name}: {entry['pages']} cannot be read", reason_of(error)) from error
        titles = [(slug, title.strip()) for slug, _, title in (line.partition(" ") for line in lines) if slug]
    return LinkList(name, str(entry["label"]), str(entry["url"]), tuple(titles))


def _wrong(message: str, hint: str) -> MetalworkingError:
    return MetalworkingError("config", message, hint)


@dataclass(frozen=True, slots=True)
class Callout:
    """What a reader who knows the one should know of a page. ``carries`` and ``misleads`` are Markdown."""

    term: str
    verdict: Verdict
    links: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For each list of links that the page names, the slugs."""
    apis: tuple[str, ...] = ()
    carries: str = ""
    misleads: str = ""
    aspect: str = ""
    """What the page's verdict is about, where the term as a whole has another."""


@dataclass(frozen=True, slots=True)
class PageMeta:
    """The part of a page's front matter that this package reads."""

    summary: str = ""
    callout: Callout | None = None
    chapter: bool | None = None
    """False on the first page of a section that is no chapter; True on a page of the book outside the sections."""


def split_front_matter(text: str) -> tuple[str, int]:
    """Return the YAML between the ``---`` lines and how many lines the whole block takes; ("", 0) without one.

    Prose between two rules is none: as MkDocs sees it, front matter has keys.
    """
    match = _FENCE.match(text)
    if match is None or (match["yaml"].strip() and not _KEYED.search(match["yaml"])):
        return "", 0
    return match["yaml"], text.count("\n", 0, match.end())


@lru_cache(maxsize=8)
def front_matter_schema(callouts: Callouts | None) -> Schema:
    """Return the schema of a page's front matter, with the key and the lists of links of the site's *callouts*."""
    data = copy.deepcopy(packaged("front_matter.schema.json").data)
    entry = data["properties"].pop("callout")
    if callouts is not None:
        slugs = {"type": "array", "items": {"$ref": "#/$defs/text"}}
        entry["properties"] |= {one.name: {**slugs, "description": one.label} for one in callouts.links}
        data["properties"][callouts.key] = entry
    return Schema(data)


def read_front_matter(text: str, path: str, callouts: Callouts | None) -> tuple[PageMeta, list[Diagnostic]]:
    """Read the front matter of a page; *text* is the whole file.

    Returns what could be read and every problem with file and line. Raises MetalworkingError for bad YAML.
    """
    block, _ = split_front_matter(text)
    document = load_yaml(block, path, first_line=2)
    if document.data is None:
        return PageMeta(), []
    problems = list(document.problems(front_matter_schema(callouts)))
    if problems:
        return PageMeta(), problems
    return page_meta(document.data, callouts), list(_check_links(document, callouts))


def page_meta(meta: Mapping[str, Any], callouts: Callouts | None) -> PageMeta:
    """Build the page data from front matter that was checked before."""
    entry = meta.get(callouts.key) if callouts is not None else None
    found = None
    if entry and callouts is not None:
        links = ((one.name, tuple(entry.get(one.name) or ())) for one in callouts.links)
        found = Callout(
            term=entry["term"],
            verdict=Verdict(entry["verdict"]),
            links=tuple((name, slugs) for name, slugs in links if slugs),
            apis=tuple(entry.get("apis") or ()),
            carries=entry.get("carries", ""),
            misleads=entry.get("misleads", ""),
            aspect=entry.get("aspect", ""),
        )
    chapter = meta.get("chapter")
    return PageMeta(str(meta.get("summary") or ""), found, chapter if isinstance(chapter, bool) else None)


def _check_links(document: YamlDocument, callouts: Callouts | None) -> list[Diagnostic]:
    found = []
    for one in callouts.links if callouts is not None else ():
        known = dict(one.titles)
        slugs = ((document.data.get(callouts.key) or {}) if callouts else {}).get(one.name) or []
        for index, slug in enumerate(slugs):
            if known and slug not in known:
                hint = did_you_mean(slug, known, f"see {one.url}", 0.4)
                where = document.location(callouts.key if callouts else "", one.name, index)
                found.append(Diagnostic(Severity.ERROR, "links", f"{one.name} has no page {slug!r}", hint, where))
    return found


def with_quantities(meta: PageMeta, quantities: Quantities, text: str, label: str) -> tuple[PageMeta, list[Diagnostic]]:
    """Return *meta* with the quantities of its summary as plain text, and what is wrong with them."""
    summary, problems, _ = plain_text(meta.summary, quantities)
    where = Location(label, line_of(text, "summary:"))
    return replace(meta, summary=summary), [problem.diagnostic.at(where) for problem in problems]


def line_of(text: str, start: str) -> int:
    """Return the first line of *text* that begins with *start*; 1 when none does."""
    return next((n for n, one in enumerate(text_lines(text), 1) if one.startswith(start)), 1)
