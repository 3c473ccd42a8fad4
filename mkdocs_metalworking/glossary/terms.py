"""Terms as data: one row a term of the world that readers come from, with one verdict and the page that answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity, reason_of
from ..quote.quantities import Quantities
from ..quote.quantity_mentions import plain_text
from ..quote.texts import read_text
from ..quote.yamldoc import load_yaml

KEYS = ("cuda", "metal")
"""What the file of terms, and terms.json, call the two sides, whatever a site's callouts speak of."""
SIDES = ("CUDA", "Metal")
"""The same for readers, where no callouts say from what to what."""
_ANCHOR = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Pair:
    """The same thing said in code on both sides, a line or two each."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Row:
    """One term. ``page`` is a path below docs, or "" when no page explains it and the row itself is the answer."""

    source: str
    target: str
    note: str = ""
    page: str = ""
    verdict: str = ""
    group: str = ""
    cited: tuple[str, ...] = ()
    """What it rests on: targets of citations."""
    aliases: tuple[str, ...] = ()
    code: Pair | None = None
    quantities: tuple[str, ...] = ()
    """Keys of the quantities that its texts tell."""
    location: Location = field(default_factory=Location)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the row, one by one: ``a / b`` is two."""
        return tuple(name for part in re.split(r"\s+/\s+|;\s+", self.source) if (name := part.strip()))


def key_of(name: str) -> str:
    """Return what two spellings of a name have in common: case and the marks of a call do not count."""
    return " ".join(name.casefold().removesuffix("()").split())


def ids(prefix: str, names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield an id for each name, all different; a name without a Latin letter or a digit has the other that it names.

    A number stands behind one that is taken.
    """
    taken: dict[str, int] = {}
    for name, other in names:
        base = found = prefix + (_ANCHOR.sub("-", name.lower()).strip("-") or other)
        while found in taken:
            taken[base] += 1
            found = f"{base}-{taken[base]}"
        taken[found] = 1
        yield found


class Terms:
    """The rows of the table, found by any of their names."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = tuple(rows)

    @cached_property
    def by_name(self) -> dict[str, Row]:
        """Each row by every name and alias; where two rows claim a name, the first."""
        found: dict[str, Row] = {}
        for row in self.rows:
            for name in (*row.names, row.source, *row.aliases):
                found.setdefault(key_of(name), row)
        return found

    @cached_property
    def anchors(self) -> dict[int, str]:
        """The id of each row on the page of the table, by the row's place."""
        names = ((row.names[0], str(place)) for place, row in enumerate(self.rows))
        return dict(enumerate(ids("term-", names)))

    def find(self, name: str) -> Row | None:
        """Return the row that has *name* as a name or an alias."""
        return self.by_name.get(key_of(name))

    def problems(self) -> Iterator[Diagnostic]:
        """Yield a warning for each name that stands in two rows: a term has one row and one verdict."""
        owner: dict[str, Row] = {}
        for row in self.rows:
            for name in dict.fromkeys((*row.names, *row.aliases)):
                other = owner.setdefault(key_of(name), row)
                if other is row:
                    continue
                said = f"{name!r} stands in two rows, {other.source!r} and {row.source!r}"
                if other.verdict and row.verdict and other.verdict != row.verdict:
                    said += f", with two verdicts: {other.verdict} and {row.verdict}"
                yield Diagnostic(Severity.WARNING, "terms", said, "keep it in the one that answers", row.location)


def read_rows(
    path: Path, label: str, draft: str | None = None, read: Callable[[Path], str] = read_text
) -> tuple[list[Row], list[Diagnostic]]:
    """Read the table, or *draft* in its place; returns what could be read and every problem with file and line."""
    if draft is None and not path.exists():
        where = Location(label)
        return [], [
            Diagnostic(Severity.WARNING, "mapping", "this file does not exist yet", "write it, or drop mapping:", where)
        ]
    try:
        rows, problems = _read(read(path) if draft is None else draft, label)
    except MetalworkingError as problem:
        return [], [problem.diagnostic]
    except (OSError, UnicodeDecodeError) as error:
        said, hint = f"cannot read it: {reason_of(error)}", "see the option mapping:"
        return [], [Diagnostic(Severity.ERROR, "mapping", said, hint, Location(label))]
    return list(rows), list(problems)


@lru_cache(maxsize=4)
def _read(text: str, label: str) -> tuple[tuple[Row, ...], tuple[Diagnostic, ...]]:
    """Remembered in memory, and nowhere else, while the text stays the same: ``serve`` asks after every save."""
    try:
        document = load_yaml(text, label)
    except MetalworkingError as problem:
        return (), (problem.diagnostic,)
    if document.data is None:
        return (), ()
    problems = tuple(document.problems("mapping.schema.json"))
    if problems:
        return (), problems
    rows = tuple(_row(entry, document.location(index)) for index, entry in enumerate(document.data))
    return rows, tuple(Terms(rows).problems())


def with_quantities(rows: Iterable[Row], quantities: Quantities) -> tuple[list[Row], list[Diagnostic]]:
    """Return *rows* with the quantities of what stands there and of their notes as plain text, and what is wrong."""
    found: list[Row] = []
    told: list[Diagnostic] = []
    for row in rows:
        target, first, keys = plain_text(row.target, quantities)
        note, second, more = plain_text(row.note, quantities)
        found.append(replace(row, target=target, note=note, quantities=(*keys, *more)) if keys or more else row)
        told += [problem.diagnostic.at(row.location) for problem in (*first, *second)]
    return found, told


def _row(entry: Mapping[str, Any], location: Location) -> Row:
    source = entry.get("source") or ()
    page = str(entry.get("page") or "").strip("/")
    if page and not page.endswith(".md"):
        page += ".md"
    code = entry.get("code")
    name, counterpart, note, verdict, group = (
        str(entry.get(key) or "").strip() for key in (*KEYS, "note", "verdict", "group")
    )
    return Row(
        source=name,
        target=counterpart,
        note=note,
        page=page,
        verdict=verdict,
        group=group,
        cited=(source,) if isinstance(source, str) else tuple(source),
        aliases=tuple(entry.get("aliases") or ()),
        code=Pair(*(code[key].rstrip("\n") for key in KEYS)) if code else None,
        location=location,
    )
