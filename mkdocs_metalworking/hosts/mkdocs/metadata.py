"""Front matter that plugins add to a page, such as Material's ``meta`` from a ``.meta.yml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import yaml

from ...glossary.library import Entry, read_entry
from ...quote.diagnostics import Location

KEYS = ("summary", "cuda", "chapter")
"""What this package reads in front matter."""


def meta_of_plugins(entry: Entry, meta: Mapping[str, Any], label: str) -> Entry:
    """Return *entry* with what *meta*, a page's front matter as all plugins left it, says beyond the file.

    Problems of the file stay as they are, with their lines; what a plugin added has none.
    """
    found = {key: meta[key] for key in KEYS if key in meta}
    known = entry.meta
    same = (
        str(found.get("summary") or "") == known.summary
        and _fields(found.get("cuda")) == _fields(asdict(known.cuda) if known.cuda else None)
        and (found.get("chapter") is not False) == known.chapter
    )
    if same or entry.problems:
        return entry
    try:
        text = yaml.safe_dump(found, allow_unicode=True)
    except yaml.YAMLError:
        return entry
    told = read_entry(entry.uri, f"---\n{text}---\n", label)
    return replace(told, problems=tuple(replace(problem, location=Location(label)) for problem in told.problems))


def _fields(cuda: Any) -> object:
    """Return what a callout says, in a form in which front matter and what was read of it can be compared."""
    if not cuda:
        return None
    if not isinstance(cuda, Mapping):
        return str(cuda)
    return {
        name: list(value) if isinstance(value, (list, tuple)) else str(value) for name, value in cuda.items() if value
    }
