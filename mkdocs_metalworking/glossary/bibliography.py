"""The Sources page: every repository and reference, and the pages that quote or cite it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape, unescape

from ..quote.citations import CitedLines, CitedReference
from ..quote.quotation import Quotation
from ..quote.repo import Repo
from ..quote.sources import Pin, Reference, Sources
from .inline import literal
from .labels import Labels
from .mapping import filter_bar
from .source_list import KINDS

_USED = re.compile(r'<span class="mw-used" data-key="([^"]*)"></span>')


def sources_page(sources: Sources, labels: Labels, where: Callable[[str], str]) -> str:
    """Return the Markdown; a mark stands where the pages go, which are known when all are rendered.

    *where* returns the link to a page of the site, as authors write it.
    """
    return "\n".join(_lines(sources, labels, where))


def _lines(sources: Sources, labels: Labels, where: Callable[[str], str]) -> Iterator[str]:
    yield '<div class="mw-sources" markdown="1">'
    yield ""
    yield filter_bar(labels, len(sources.pins) + len(sources.references))
    yield ""
    kinds = [(kind, title) for kind, title in KINDS if any(one.kind == kind for one in sources.references)]
    titles = [*(["Repositories"] if sources.pins else []), *(title for _, title in kinds)]
    links = " ".join(f'<a href="#{_kind_id(title)}">{literal(title)}</a>' for title in titles)
    yield f'<nav class="mw-jump" aria-label="Kinds">{links}</nav>'
    if sources.pins:
        yield ""
        yield f"## Repositories {{ #{_kind_id('Repositories')} }}"
    for pin in sources.pins:
        yield ""
        yield '<div class="mw-source" markdown="1">'
        yield ""
        yield from _pin(pin)
        yield ""
        yield "</div>"
    for kind, title in kinds:
        found = [reference for reference in sources.references if reference.kind == kind]
        if found:
            yield ""
            yield f"## {title} {{ #{_kind_id(title)} }}"
            yield ""
            for reference in sorted(found, key=lambda r: (r.author.casefold(), r.title.casefold())):
                yield _reference(reference, where)
    yield ""
    yield "</div>"


def _pin(pin: Pin) -> Iterator[str]:
    url = Repo.named(pin.repo).page
    commit = f'<a href="{literal(url)}/tree/{pin.commit}"><code>{pin.short}</code></a>'
    facts = [commit, *(literal(f) for f in (pin.tag, pin.date, pin.license or "no license") if f)]
    yield f"### [{literal(pin.repo)}]({url}) {{ #{_slug(pin.repo)}-{pin.short} }}"
    yield ""
    yield f'<p class="mw-source-facts">{" · ".join(facts)}</p>'
    if pin.about:
        yield ""
        yield pin.about
    yield ""
    yield _mark(_pin_key(pin))


def _reference(reference: Reference, where: Callable[[str], str]) -> str:
    title = f"<cite>{literal(reference.title)}</cite>"
    if reference.page:
        title = f"[{title}](<{where(reference.page)}>)"
    elif reference.url:
        title = f'<a href="{literal(reference.url)}">{title}</a>'
    parts = ", ".join(part for part in (literal(reference.author), title, literal(reference.date)) if part)
    about = f" {reference.about}" if reference.about else ""
    return f"- {parts}.{about} {_mark(reference.key)}"


def _mark(key: str) -> str:
    return f'<span class="mw-used" data-key="{escape(key)}"></span>'


def _pin_key(pin: Pin) -> str:
    return f"{pin.repo}@{pin.commit}"


def uses(
    quotations: Mapping[str, Iterable[Quotation]], citations: Mapping[str, Iterable[CitedReference | CitedLines]]
) -> dict[str, dict[str, list[int]]]:
    """Return, for each source, the pages that use it and how often: [quoted, cited]."""
    found: dict[str, dict[str, list[int]]] = {}
    for uri, quoted in quotations.items():
        for quotation in quoted:
            found.setdefault(_pin_key(quotation.pin), {}).setdefault(uri, [0, 0])[0] += 1
    for uri, cited in citations.items():
        for one in cited:
            key = _pin_key(one.pin) if isinstance(one, CitedLines) else one.reference.key
            found.setdefault(key, {}).setdefault(uri, [0, 0])[1] += 1
    return found


def fill_uses(
    html: str, used: Mapping[str, Mapping[str, list[int]]], order: list[str], link: Callable[[str], str]
) -> str:
    """Put the pages in the place of the marks; *link* returns a page as an HTML link."""
    where = {uri: index for index, uri in enumerate(order)}

    def pages(match: re.Match[str]) -> str:
        found = used.get(unescape(match[1]), {})
        if not found:
            return '<span class="mw-used">On no page yet.</span>'
        parts = []
        for uri in sorted(found, key=lambda one: where.get(one, len(where))):
            quoted, cited = found[uri]
            counts = [f"{n} {word}" for n, word in ((quoted, "quoted"), (cited, "cited")) if n]
            parts.append(f"{link(uri)} <small>{', '.join(counts)}</small>")
        return f'<span class="mw-used">{"; ".join(parts)}</span>'

    return _USED.sub(pages, html)


def _kind_id(title: str) -> str:
    return f"kind-{_slug(title)}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
