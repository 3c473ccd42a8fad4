"""What pages say of terms, held against the table: a name has a row, and a page no verdict against its term's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..quote.diagnostics import Diagnostic, Location, Severity
from .library import Entry
from .terms import Terms


def disagreements(entries: Iterable[tuple[Entry, str, str]], table: Terms) -> Iterator[Diagnostic]:
    """Yield a warning for each entry of ``apis:`` that no row names, and for each verdict against its term's.

    *entries*: a page, its path in messages, and the text of its file. Without a table nothing is held against it.
    """
    if not table.rows:
        return
    for entry, label, text in entries:
        cuda = entry.meta.cuda
        if cuda is None or entry.problems:
            continue
        for name in cuda.apis:
            if table.find(name) is None:
                hint = "write a row for it, list it among the aliases of one, or take it out of apis:"
                yield _warning(f"no row of the table names {name!r}", hint, label, text, name)
        row = table.find(cuda.term)
        if row is not None and row.verdict and row.verdict != cuda.verdict.value and not cuda.aspect:
            said = f"{cuda.term!r} is {cuda.verdict.value} here and {row.verdict} in the table"
            hint = "write one of the two, or say in aspect: what the page's verdict is about"
            yield _warning(said, hint, label, text, cuda.verdict.value)


def _warning(problem: str, hint: str, label: str, text: str, name: str) -> Diagnostic:
    found = re.search(re.escape(name), text)
    line = text.count("\n", 0, found.start()) + 1 if found else None
    return Diagnostic(Severity.WARNING, "terms", problem, hint, Location(label, line))
