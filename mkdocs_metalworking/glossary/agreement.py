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
        callout = entry.meta.callout
        if callout is None or entry.problems:
            continue
        for name in callout.apis:
            if table.find(name) is None:
                hint = "write a row for it, list it among the aliases of one, or take it out of apis:"
                yield _warning(f"no row of the table names {name!r}", hint, label, text, name)
        row = table.find(callout.term)
        if row is not None and row.verdict and row.verdict != callout.verdict.value and not callout.aspect:
            said = f"{callout.term!r} is {callout.verdict.value} here and {row.verdict} in the table"
            hint = "write one of the two, or say in aspect: what the page's verdict is about"
            yield _warning(said, hint, label, text, callout.verdict.value)


def _warning(problem: str, hint: str, label: str, text: str, name: str) -> Diagnostic:
    found = re.search(re.escape(name), text)
    line = text.count("\n", 0, found.start()) + 1 if found else None
    return Diagnostic(Severity.WARNING, "terms", problem, hint, Location(label, line))
