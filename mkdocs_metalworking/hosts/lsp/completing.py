"""What may stand where the cursor is: repositories, commits, paths, keys, terms, pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import dirname, relpath

from lsprotocol import types as lsp
from mkdocs.structure.toc import AnchorLink

from ...glossary.callout import Verdict, split_front_matter
from ...quote.diagnostics import MetalworkingError
from ...quote.repo import SELF
from ...quote.sources import Pin
from .editing import Bench, written_path
from .paths import Trees
from .positions import Lines

TRIGGERS = ["@", ":", "=", "/", "(", "#", " ", "["]
"""Characters behind which an editor asks by itself."""
_MOST = 200
"""Entries of one answer; the editor asks again when more is typed."""
_DIRECTIVE = re.compile(r"<<[ \t]*excerpt[ \t]+(\S*)$")
_CITATION = re.compile(r"\[@([^\[\],\n]*)$")
_QUANTITY = re.compile(r"\[=([A-Za-z0-9.-]*)$")
_LINK = re.compile(r"\]\(([^()\s]*)$")
_VALUE = re.compile(r"^\s+(term|verdict):\s*[\"']?([^\"']*)$")
_API = re.compile(r"^\s+apis:\s*\[(?:.*,)?\s*[\"']?([^\"',]*)$|^\s+-\s+[\"']?([^\"']*)$")
_TARGET = re.compile(r"(?P<repo>[^@:\s]*)(?:@(?P<sha>[^:\s]*))?(?::(?P<path>.*))?")


def complete(bench: Bench, trees: Trees, path: Path, position: lsp.Position) -> lsp.CompletionList:
    """Return what may be typed at *position* of the page at *path*."""
    lines = bench.lines(path)
    at = lines.offset(position)
    before = lines.text[lines.text.rfind("\n", 0, at) + 1 : at]
    found = list(_candidates(bench, trees, path, lines, before, position.line))
    shown = [_item(lines, at, one) for one in found[:_MOST]]
    return lsp.CompletionList(is_incomplete=len(found) > _MOST, items=shown)


class _Candidate:
    """A word that may be typed; *typed* is the part of it that stands there already."""

    def __init__(
        self, word: str, typed: str, kind: lsp.CompletionItemKind, detail: str = "", about: str = "", label: str = ""
    ) -> None:
        self.word, self.typed, self.kind = word, typed, kind
        self.detail, self.about, self.label = detail, about, label or word


def _item(lines: Lines, at: int, one: _Candidate) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        one.label,
        kind=one.kind,
        detail=one.detail or None,
        documentation=lsp.MarkupContent(lsp.MarkupKind.PlainText, one.about) if one.about else None,
        filter_text=one.word if one.word != one.label else None,  # Neovim before 0.8 counts on there being none
        text_edit=lsp.TextEdit(lines.range((at - len(one.typed), at)), one.word),
    )


def _candidates(bench: Bench, trees: Trees, path: Path, lines: Lines, before: str, number: int) -> Iterable[_Candidate]:
    if match := _DIRECTIVE.search(before):
        return _targets(bench, trees, match[1], quoted=True)
    if match := _CITATION.search(before):
        return _cited(bench, trees, match[1])
    if match := _QUANTITY.search(before):
        return _quantities(bench, match[1])
    if match := _LINK.search(before):
        return _pages(bench, path, match[1])
    if number < split_front_matter(lines.text)[1]:
        return _front_matter(bench, lines, before, number)
    return ()


def _near(candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
    """Yield those that hold what is typed, those that begin with it first."""
    found = [one for one in candidates if one.typed.lower() in one.word.lower()]
    return iter(sorted(found, key=lambda one: not one.word.lower().startswith(one.typed.lower())))


def _targets(bench: Bench, trees: Trees, typed: str, *, quoted: bool) -> Iterator[_Candidate]:
    """Yield repositories, then commits, then paths of what is to be *quoted* or cited."""
    match = _TARGET.fullmatch(typed)
    if match is None:
        return
    sources = bench.desk.project.sources
    if match["path"] is not None:
        try:
            pin = sources.pin(match["repo"], match["sha"] or "")
        except MetalworkingError:
            return
        name = match["path"].removeprefix('"')
        found = (one for one in trees.paths(bench.desk.project, pin) if name.lower() in one.lower())
        yield from _near(
            _Candidate(written_path(one), match["path"], lsp.CompletionItemKind.File, label=one)
            for one in found
            if not quoted or pin.refuse_quotation(one) is None
        )
    elif match["sha"] is not None:
        pins = sources.by_repo.get(match["repo"], ())
        yield from _near(_commit(pin, match["sha"]) for pin in pins)
    else:
        yield from _near(_repositories(bench, match["repo"], quoted=quoted))


def _commit(pin: Pin, typed: str) -> _Candidate:
    detail = ", ".join(part for part in (pin.tag, pin.date) if part)
    return _Candidate(f"{pin.short}:", typed, lsp.CompletionItemKind.Constant, detail)


def _repositories(bench: Bench, typed: str, *, quoted: bool) -> Iterator[_Candidate]:
    sources = bench.desk.project.sources
    kind = lsp.CompletionItemKind.Module
    for pin in sources.pins:
        if quoted and (not pin.license or not pin.quote):
            continue
        alone = not quoted and len(sources.by_repo[pin.repo]) == 1
        word = f"{pin.repo}:" if alone else f"{pin.repo}@{pin.short}:"
        detail = ", ".join(part for part in (pin.license or "no license", pin.tag, pin.date) if part)
        yield _Candidate(word, typed, kind, detail, pin.about)
    if quoted and sources.own is not None:
        yield _Candidate(f"{SELF}:", typed, kind, "this repository")


def _cited(bench: Bench, trees: Trees, typed: str) -> Iterator[_Candidate]:
    keys = (
        _Candidate(one.key, typed, lsp.CompletionItemKind.Reference, one.title, one.about)
        for one in bench.desk.project.sources.references
    )
    yield from _near(keys)
    yield from _targets(bench, trees, typed, quoted=False)


def _quantities(bench: Bench, typed: str) -> Iterator[_Candidate]:
    yield from _near(
        _Candidate(key, typed, lsp.CompletionItemKind.Value, one.text().replace("\u00a0", " "), one.about())
        for key, one in bench.desk.project.quantities.by_key.items()
    )


def _pages(bench: Bench, path: Path, typed: str) -> Iterator[_Candidate]:
    reading, here = bench.desk.reading, bench.desk.file(path)
    if here is None:
        return
    base, mark, anchor = typed.partition("#")
    for file in reading.documents():
        name = relpath(file.src_uri, dirname(here.src_uri) or ".")
        if not mark:
            yield from _near([_Candidate(name, typed, lsp.CompletionItemKind.File, reading.title(file.src_uri))])
        elif base in (name, "" if file is here else name) and file.page is not None:
            kind = lsp.CompletionItemKind.Reference
            yield from _near(_Candidate(one.id, anchor, kind, one.title) for one in _headings(file.page.toc))


def _headings(links: Iterable[AnchorLink]) -> Iterator[AnchorLink]:
    for link in links:
        yield link
        yield from _headings(link.children)


def _front_matter(bench: Bench, lines: Lines, before: str, number: int) -> Iterator[_Candidate]:
    if (match := _VALUE.match(before)) and match[1] == "verdict":
        yield from _near(_Candidate(one.value, match[2], lsp.CompletionItemKind.EnumMember) for one in Verdict)
        return
    typed = match[2] if match else None
    if match is None and (match := _API.match(before)):
        inside = match[1] is not None or _below_apis(lines, number)
        typed = (match[1] or match[2] or "") if inside else None
    if typed is not None:
        rows = bench.desk.reading.terms.rows
        kind = lsp.CompletionItemKind.Keyword
        yield from _near(
            _Candidate(name, typed, kind, ", ".join(part for part in (row.target, row.verdict) if part), row.note)
            for row in rows
            for name in dict.fromkeys((*row.names, *row.aliases))
        )


def _below_apis(lines: Lines, number: int) -> bool:
    while number > 0 and lines.line(number).lstrip().startswith("-"):
        number -= 1
    return lines.line(number).strip() == "apis:"
