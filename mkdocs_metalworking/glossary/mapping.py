"""mapping.yml: the CUDA to Metal table, one row a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from ..quote.yamldoc import load_yaml
from .labels import labels_for

_SPECIAL = re.compile(r"""[\\`*_{}\[\]()#+!|<>&~^=:@$"']""")
# Names of an API, as against words: what a reader expects in a code face.
_NAME = re.compile(r"[_:.(\[<]|[a-z][A-Z]|^[a-z]+[0-9]")

_WORD = re.compile(r"(?:^|\s)\(?[a-z]{2,}[,;)]?(?=\s|$)")
_EDGES = re.compile(r"([(\[]?)(.*?)([,;.]?(?<![(\[])(?:(?<=\w)\))?[,;.]?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``page`` is a path below docs, or "" when no page explains it."""

    cuda: str
    metal: str
    note: str = ""
    page: str = ""
    verdict: str = ""
    group: str = ""
    sources: tuple[str, ...] = ()
    location: Location = field(default_factory=Location)

    @property
    def names(self) -> tuple[str, ...]:
        """The CUDA names of the row, one by one: ``a / b`` is two."""
        return tuple(name for part in re.split(r"\s+/\s+|;\s+", self.cuda) if (name := part.strip()))


def read_mapping(path: Path, label: str, draft: str | None = None) -> tuple[list[Row], list[Diagnostic]]:
    """Read the table, or *draft* in its place; returns what could be read and every problem with file and line."""
    if draft is None and not path.exists():
        where = Location(label)
        return [], [
            Diagnostic(Severity.WARNING, "mapping", "this file does not exist yet", "write it, or drop mapping:", where)
        ]
    try:
        document = load_yaml(path.read_text(encoding="utf-8") if draft is None else draft, label)
    except (OSError, UnicodeDecodeError) as error:
        return [], [MetalworkingError("mapping", f"cannot read {label}: {error}", "see the option mapping:").diagnostic]
    except MetalworkingError as problem:
        return [], [problem.diagnostic]
    if document.data is None:
        return [], []
    problems = list(document.problems("mapping.schema.json"))
    if problems:
        return [], problems
    return [_row(entry, document.location(index)) for index, entry in enumerate(document.data)], []


def _row(entry: dict[str, Any], location: Location) -> Row:
    source = entry.get("source") or ()
    page = str(entry.get("page") or "").strip("/")
    if page and not page.endswith(".md"):
        page += ".md"
    sources = (source,) if isinstance(source, str) else tuple(source)
    cuda, metal, note, verdict, group = (
        str(entry.get(key) or "").strip() for key in ("cuda", "metal", "note", "verdict", "group")
    )
    return Row(cuda, metal, note, page, verdict, group, sources, location)


def verdict_chip(verdict: str) -> str:
    """Return the verdict as a chip in HTML, or nothing."""
    return f'<span class="mw-verdict mw-v-{verdict}">{labels_for()[verdict]}</span>' if verdict else ""


def literal(text: str) -> str:
    """Return Markdown that shows *text* as it is, whatever Markdown, HTML or an extension would read in it."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", text)


def code(text: str) -> str:
    """Return *text* as Markdown: names of an API in a code face, words as words. A pipe is safe in a table.

    Where the author set a code face with backticks, it is kept, and nothing else is read in the text.
    """
    if "`" in text:
        parts = re.split(r"`([^`]+)`", text)
        return "".join(_face(part) if index % 2 else literal(part) for index, part in enumerate(parts))
    if not _NAME.search(text):
        return literal(text)
    if "<<<" in text or not _WORD.search(text):
        return _face(text)
    return " ".join(_split_face(part) for part in text.split())


def _split_face(part: str) -> str:
    lead, name, trail = _EDGES.fullmatch(part).groups()  # type: ignore[union-attr]  # the pattern matches anything
    return f"{literal(lead)}{_face(name)}{literal(trail)}" if _NAME.search(name) else literal(part)


def _face(text: str) -> str:
    return f"<code>{literal(text)}</code>"


def mapping_table(rows: Iterable[Row], link: Callable[[str], str]) -> str:
    """Return the table as Markdown, one table a group; *link* turns a page into a Markdown link or ""."""
    return "\n".join(_table(list(rows), link))


def _table(rows: list[Row], link: Callable[[str], str]) -> Iterator[str]:
    yield '<div class="mw-mapping" markdown="1">'
    search = '<input type="search" data-mw-filter autocomplete="off" spellcheck="false">'
    yield f'<p class="mw-filter"><label>Filter {search}</label>'
    yield f'<output aria-live="polite">{len(rows)} rows</output></p>'
    for group, members in groupby(rows, key=lambda row: row.group):
        yield ""
        if group:
            yield f"### {literal(group)}"
            yield ""
        yield '<div class="mw-sortable" markdown="1">'
        yield ""
        yield "| CUDA | Metal | What changes | Page |"
        yield "| --- | --- | --- | --- |"
        for row in members:
            note = row.note.replace("|", r"\|").replace("\n", " ")
            cited = "".join(f"[@{source}]" for source in row.sources)
            cells = (
                code(row.cuda),
                code(row.metal),
                f"{verdict_chip(row.verdict)} {note} {cited}".strip(),
                link(row.page) if row.page else "",
            )
            yield f"| {' | '.join(cells)} |"
        yield ""
        yield "</div>"
    yield ""
    yield "</div>"
