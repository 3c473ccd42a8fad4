"""quantities.yml, parsed and computed once as long as its text stays the same: ``serve`` reads it after every save.

It is remembered in memory alone. A file that says what was computed would have to be believed, and whoever may write
into the store could publish other numbers by it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..quote.diagnostics import Diagnostic
from ..quote.quantities import Quantities
from ..quote.texts import read_bytes


def read_quantities(path: Path, draft: str | None = None) -> tuple[Quantities, list[Diagnostic]]:
    """Read quantities.yml, or *draft* in its place; a file that does not exist means that the site has none.

    Raises OSError and UnicodeDecodeError for a file that cannot be read, MetalworkingError for bad YAML.
    """
    try:
        text = read_bytes(path).decode("utf-8") if draft is None else draft
    except FileNotFoundError:
        return Quantities(), []
    quantities, problems = _read(text, path.name)
    return quantities, list(problems)


@lru_cache(maxsize=4)
def _read(text: str, name: str) -> tuple[Quantities, tuple[Diagnostic, ...]]:
    from ..quote.quantity_file import load_quantities

    quantities, problems = load_quantities(text, name)
    return quantities, tuple(problems)
