"""Front matter that plugins add to a page, such as Material's ``meta`` from a ``.meta.yml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from ...glossary.asked import Asked
from ...glossary.callout import page_meta
from ...glossary.library import Entry, read_entry
from ...quote.diagnostics import Location
from ...quote.quantities import Quantities
from ...quote.quantity_mentions import plain_text


def meta_of_plugins(entry: Entry, meta: Mapping[str, Any], label: str, asked: Asked, quantities: Quantities) -> Entry:
    """Return *entry* with what *meta*, a page's front matter as all plugins left it, says beyond the file.

    Problems of the file stay as they are, with their lines; what a plugin added has none.
    """
    keys = ("summary", "chapter", *([asked.callouts.key] if asked.callouts is not None else []))
    found = {key: meta[key] for key in keys if key in meta}
    try:
        told = page_meta(found, asked.callouts)
        same = replace(told, summary=plain_text(told.summary, quantities)[0]) == entry.meta
    except (AttributeError, KeyError, TypeError, ValueError):  # not what a callout is: read it, to say so
        same = False
    if same or entry.problems:
        return entry
    try:
        text = yaml.safe_dump(found, allow_unicode=True)
    except yaml.YAMLError:
        return entry
    read = read_entry(entry.uri, f"---\n{text}---\n", label, asked, quantities)
    return replace(read, problems=tuple(replace(problem, location=Location(label)) for problem in read.problems))
