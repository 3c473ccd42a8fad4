"""SOURCES.md: sources.yml for people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..quote.repo import Repo
from ..quote.sources import Pin, Reference, Sources

KINDS = (
    ("specification", "Specifications"),
    ("documentation", "Documentation"),
    ("talk", "Talks"),
    ("paper", "Papers"),
    ("article", "Articles"),
    ("book", "Books"),
    ("code", "Code and commits"),
    ("issue", "Issues and pull requests"),
    ("data", "Data"),
    ("", "Other"),
)


MARKER = "<!-- Written by `metalworking sources` from sources.yml. -->"


def source_list(sources: Sources, docs: str = "docs/", *, before: str = "") -> str:
    """Return the Markdown of SOURCES.md; *docs* leads to the site's pages from there.

    What stands above its marker in *before*, the file as it is, stays: that part is written by hand.
    """
    above, found, _ = before.partition(MARKER)
    return (above if found else "# Sources\n\n") + "\n".join(_lines(sources, docs)) + "\n"


def _lines(sources: Sources, docs: str) -> Iterator[str]:
    yield MARKER
    yield ""
    yield "## Repositories"
    yield ""
    yield "Quoted or cited at the commit named, and at no other. Excerpts stay under the license of their repository."
    for pin in sources.pins:
        yield ""
        yield from _pin(pin)
    for kind, title in KINDS:
        found = sorted(
            (r for r in sources.references if r.kind == kind), key=lambda r: (r.author.lower(), r.title.lower())
        )
        if found:
            yield ""
            yield f"## {title}"
            yield ""
            for reference in found:
                yield _reference(reference, docs)


def _pin(pin: Pin) -> Iterator[str]:
    url = Repo.named(pin.repo).page
    yield f"### [{pin.repo}]({url})"
    yield ""
    if pin.about:
        yield pin.about
        yield ""
    at = (
        f"[`{pin.short}`]({url}/tree/{pin.commit})"
        + (f" ({_plain(pin.tag)})" if pin.tag else "")
        + (f", {pin.date}" if pin.date else "")
    )
    terms = _plain(pin.license or "no license found")
    use = "" if pin.license and pin.quote else ", linked and cited, not quoted"
    scope = f" for {_plain(pin.license_scope)}" if pin.license_scope else ""
    yield f"- Commit {at}"
    yield f"- License: {terms}{scope}{use}"
    for package in pin.packages:
        yield f"- Also delivered by the {package.kind} `{package.name}=={package.version}`, under `{package.root}`"


def _reference(reference: Reference, docs: str) -> str:
    title = _plain(reference.title)
    if reference.page:
        title = f"[{title}](<{docs}{reference.page}>)"
    elif reference.url:
        title = f"[{title}]({reference.url.replace('(', '%28').replace(')', '%29')})"
    parts = ", ".join(p for p in (_plain(reference.author), title, reference.date) if p)
    return f"- {parts}." + (f" {reference.about}" if reference.about else "")


def _plain(text: str) -> str:
    """Return Markdown that shows *text* as it is; this file is read by people, so no more is escaped than must be."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", " ".join(text.split()))
