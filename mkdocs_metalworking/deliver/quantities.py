"""quantities.yml as it was last found sound: a build whose file has not changed neither parses nor computes it again.

An entry is named by the file's bytes and by the code that reads them, and has its own checksum. What was found wrong is
not kept, so that every build tells it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from .. import __version__
from ..quote.diagnostics import Diagnostic
from ..quote.quantities import Evidence, Quantities, Quantity
from ..quote.units import Unit, Units
from .store import Store

_CODE = ("amounts.py", "formula.py", "quantities.py", "quantity_file.py", "units.py", "yamldoc.py")
_KEPT = 20
"""Entries of the store; the oldest go first."""


def read_quantities(path: Path, store: Store, draft: str | None = None) -> tuple[Quantities, list[Diagnostic]]:
    """Read quantities.yml, or *draft* in its place; a file that does not exist means that the site has none.

    Raises OSError and UnicodeDecodeError for a file that cannot be read, MetalworkingError for bad YAML.
    """
    try:
        data = path.read_bytes() if draft is None else draft.encode()
    except FileNotFoundError:
        return Quantities(), []
    name = hashlib.sha256(b"\0".join((_code(), path.name.encode(), data))).hexdigest()
    entry = store.root / "quantities" / name[:2] / name
    kept = _kept(entry, path.name)
    if kept is not None:
        return kept, []
    from ..quote.quantity_file import load_quantities

    quantities, problems = load_quantities(data.decode("utf-8"), path.name)
    if not problems:
        with contextlib.suppress(OSError):
            _keep(entry, quantities, store)
    return quantities, problems


@cache
def _code() -> bytes:
    """Return a digest of the code that reads the file."""
    package = resources.files("mkdocs_metalworking")
    digest = hashlib.sha256(__version__.encode())
    for name in _CODE:
        digest.update(package.joinpath("quote", name).read_bytes())
    digest.update(package.joinpath("schemas", "quantities.schema.json").read_bytes())
    return digest.digest()


def _keep(entry: Path, quantities: Quantities, store: Store) -> None:
    units = quantities.units
    told = {
        "units": {text: [unit.factor, sorted(unit.dimension)] for text, unit in units.known.items()},
        "more": [units.counts, units.more],
        "readers": quantities.readers,
        "quantities": [
            {k: v for k, v in asdict(quantity).items() if v not in ("", None, (), []) and (k, v) != ("hint", True)}
            for quantity in quantities.by_key.values()
        ],
    }
    body = json.dumps(told).encode()
    with store.folder.writing(entry) as stream:
        stream.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    found = sorted(entry.parent.parent.glob("*/*"), key=lambda one: one.stat().st_mtime)
    for old in found[:-_KEPT]:
        old.unlink(missing_ok=True)


def _kept(entry: Path, path: str) -> Quantities | None:
    try:
        with open(entry, "rb", opener=_plain) as stream:
            digest, _, body = stream.read().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    told = json.loads(body)
    units = Units(*told["more"])
    for text, (factor, dimension) in told["units"].items():
        units.known[text] = Unit(factor, frozenset((name, power) for name, power in dimension))
    by_key = {entry["key"]: _quantity(entry) for entry in told["quantities"]}
    return Quantities(by_key, path, units, readers=tuple(told["readers"]))


def _quantity(entry: dict[str, Any]) -> Quantity:
    sources = tuple(
        Evidence(**{k: v for k, v in source.items() if v is not None}) for source in entry.pop("sources", ())
    )
    spread = tuple(entry.pop("spread", ())) or None
    inputs = tuple(entry.pop("inputs", ()))
    return Quantity(**entry, inputs=inputs, spread=spread, sources=sources)


def _plain(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
