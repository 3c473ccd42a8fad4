"""Numbers in prose that a quantity has too: a hint to the author, since only people know whether the same is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .citations import CITATION, parse_citation
from .diagnostics import MetalworkingError
from .quantities import Quantities, Quantity

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_APART = re.compile(
    r"`+[^`\n]*`+|\[[@=][^\[\]\n]*\]|\]\([^()\n]*\)|<[^<>\n]*>|<<(?:(?!<<).)*?>>|\b(?:PR|issue|pull) \d+"
)
"""Code, citations, quantities, targets of links, tags and directives: no prose."""
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_MEASURE = re.compile(
    rf"(?<![\w.,/^-])(?P<number>{_NUMBER}(?:(?:\u2013|-| to ){_NUMBER})?)(?P<gap>[ \u00a0-]?)(?P<unit>[^\W\d_][\w/]*|%)"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number with its unit on a line (from 1), and the key of the quantity that has both."""

    line: int
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit on a line (from 1) of prose: as it stands there, and with an en dash for a range."""

    line: int
    text: str
    number: str
    unit: str


def measures(text: str) -> Iterator[Measure]:
    """Yield the numbers that stand before a unit in the prose of a page's *text*; code and citations are no prose."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        if fence or mark:
            continue
        prose = _APART.sub(lambda match: "\n" * len(match[0]), line)
        for match in _MEASURE.finditer(prose):
            yield Measure(number, match[0], re.sub("-| to ", "\u2013", match["number"]), match["unit"])


def cited_targets(text: str) -> set[str]:
    """Return what a page's *text* cites: keys of references and ``owner/name:path``."""
    found: set[str] = set()
    for match in CITATION.finditer(text):
        try:
            citation = parse_citation(match[0][2:-1])
        except MetalworkingError:
            continue
        found.add(citation.reference or f"{citation.repo}:{citation.path}")
    return found


def candidates(text: str, quantities: Quantities, *, cited: Iterable[str] = ()) -> Iterator[Candidate]:
    """Yield what *text*, a whole page, could take from *quantities*: same number, same unit, a source in common."""
    targets = cited_targets(text) | set(cited)
    by_number: dict[str, list[Quantity]] = {}
    for quantity in quantities.by_key.values():
        if quantity.hint and (quantity.unit or quantity.shown) and _sources(quantity, quantities) & targets:
            by_number.setdefault(quantity.number(), []).append(quantity)
    for one in measures(text):
        for quantity in by_number.get(one.number, ()):
            if one.unit in _units(quantity):
                yield Candidate(one.line, one.text, quantity.key)
                break


def _sources(quantity: Quantity, quantities: Quantities) -> set[str]:
    found = set()
    for leaf in quantities.leaves(quantity):
        for source in leaf.sources:
            target = source.cite.partition(",")[0].partition("#")[0].strip()
            found.add(target)
    return found


def _units(quantity: Quantity) -> set[str]:
    """Return the first words under which a text may write the unit."""
    words = {name.split()[0] for name in (quantity.unit, quantity.shown) if name}
    return {form for word in words for form in (word, f"{word}s", word.removesuffix("s"))}
