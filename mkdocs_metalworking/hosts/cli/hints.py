"""What an author may want to know of numbers, and no build minds: quantities nobody uses, numbers that one could be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostic, Location, Severity
from ...quote.quantities import Quantities
from ...quote.quantity_candidates import candidates
from ...quote.quantity_mentions import mentioned_keys

_QUOTED = re.compile(r"[\"'`]([a-z][a-z0-9.-]*)[\"'`]")


def hints(quantities: Quantities, pages: Mapping[str, PageContext], root: Path) -> list[Diagnostic]:
    """Return the hints for a site whose *pages* were read; none where it has no quantities."""
    if not quantities:
        return []
    used = set(keys_in_files(quantities.readers, root))
    found: list[Diagnostic] = []
    for page in pages.values():
        source = page.source or ""
        used.update(page.quantities, mentioned_keys(source))
        for one in candidates(source, quantities):
            message = f"{one.text.strip()} may be {one.key}"
            hint = f"write [={one.key}], when it is the same number"
            found.append(Diagnostic(Severity.HINT, "candidate", message, hint, Location(page.path, one.line)))
    return [*quantities.unused(used), *found]


def keys_in_files(patterns: Iterable[str], root: Path) -> Iterable[str]:
    """Yield what stands in quotes in the files that the glob *patterns* name, from *root*."""
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            yield from _QUOTED.findall(path.read_text(encoding="utf-8", errors="replace"))
