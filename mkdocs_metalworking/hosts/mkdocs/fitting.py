"""An answer that is no longer than asked for: what is long is cut, and where it is from stays."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from ...glossary.terms import KEYS
from ...quote.diagnostics import MetalworkingError

_KEPT = frozenset({"source", "sources", "key", "name", "page", KEYS[1], "verdict", "cut"})
"""What is never cut: the answer in a word, and where it is from."""


def fitting(answer: Mapping[str, Any], limit: int) -> str:
    """Return *answer* as JSON of at most *limit* characters; what is long is cut, and ``cut`` says so.

    Sources stay whole. Raises MetalworkingError (``limit``) when they alone take more.
    """
    told = json.loads(json.dumps(answer))
    while len(text := _json(told)) > limit:
        told["cut"] = True
        parts = {name: len(_json(value)) for name, value in told.items() if name not in _KEPT and value}
        if not parts:
            raise MetalworkingError("limit", f"{limit} characters are too few", f"ask for {len(text)}")
        _shorten(told, max(parts, key=parts.__getitem__), limit)
    return text


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _shorten(told: dict[str, Any], name: str, limit: int) -> None:
    """Take from one part of *told* until it all fits into *limit*, or nothing is left of the part."""
    value = told[name]
    if not isinstance(value, str | list | dict):
        del told[name]
        return

    def first(count: int) -> Any:
        if isinstance(value, str):
            return f"{value[:count]}…" if count else ""
        return value[:count] if isinstance(value, list) else dict(list(value.items())[:count])

    def fits(count: int) -> bool:
        return len(_json({**told, name: first(count)})) <= limit

    told[name] = first(bisect_left(range(len(value)), True, key=lambda count: not fits(count + 1)))
