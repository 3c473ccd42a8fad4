"""terms.json: the table of terms for programs, with addresses and sources resolved, beside its schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from typing import Any

from ...glossary.asked import Asked
from ...glossary.callout import Verdict
from ...glossary.lookup import Term
from ...glossary.terms import KEYS, Row, Terms
from ...quote.citations import CitedLines, CitedReference, parse_citation
from ...quote.diagnostics import MetalworkingError
from ...quote.permalinks import permalink
from ...quote.quoter import Quoter

SCHEMA = "terms.schema.json"


def terms_file(
    table: Terms,
    found: Iterable[Term],
    where: Callable[[str], str],
    quoter: Quoter,
    asked: Asked,
    *,
    site: str,
    page: str,
) -> bytes:
    """Return terms.json. *where* gives a page's address from the site's root, "" for none; *page* holds the table."""
    home = where(page)
    rows = zip(table.rows, (term for term in found if term.anchor), strict=True)
    document = {
        "$schema": SCHEMA,
        "from": asked.callouts.source if asked.callouts is not None else "",
        "to": asked.callouts.target if asked.callouts is not None else "",
        "site": site,
        "verdicts": {verdict.value: asked.labels[verdict.value] for verdict in Verdict},
        "terms": [_entry(row, term, where, quoter, home) for row, term in rows],
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def schema_file() -> bytes:
    """Return the schema of terms.json."""
    return resources.files("mkdocs_metalworking").joinpath("schemas", SCHEMA).read_bytes()


def _entry(row: Row, term: Term, where: Callable[[str], str], quoter: Quoter, home: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": row.names[0],
        "names": list(row.names),
        "aliases": list(row.aliases),
        KEYS[1]: row.target,
        "verdict": row.verdict or None,
        "note": row.note,
        "group": row.group,
        "row": f"{home}#{term.anchor}" if home else "",
        "page": where(row.page) if row.page else "",
        "also": [address for uri in term.also if (address := where(uri))],
        "sources": list(_sources(row, quoter, where)),
    }
    if row.code is not None:
        entry["code"] = dict(zip(KEYS, (row.code.source, row.code.target), strict=True))
    return entry


def _sources(row: Row, quoter: Quoter, where: Callable[[str], str]) -> Iterator[dict[str, str]]:
    for text in row.cited:
        try:
            yield source_of(quoter.cite(parse_citation(text)), where)
        except MetalworkingError:
            continue  # told where the page of the table is read


def source_of(cited: CitedReference | CitedLines, where: Callable[[str], str]) -> dict[str, str]:
    """Return title and address of what is cited, and the qualification if there is one; *where* as for *terms_file*."""
    if isinstance(cited, CitedLines):
        first = cited.ranges[0] if cited.ranges else None
        found = {"title": f"{cited.key.repo}@{cited.pin.short}:{cited.label}", "url": permalink(cited.key, first)}
    else:
        reference = cited.reference
        parts = (reference.author, reference.title, reference.date)
        page, _, anchor = reference.page.partition("#")
        place = f"{where(page)}#{anchor}" if anchor else where(page) if page else reference.url
        found = {"title": ", ".join(part for part in parts if part), "url": place}
    return {**found, "note": cited.note} if cited.note else found
