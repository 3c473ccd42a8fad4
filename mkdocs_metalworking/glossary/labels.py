"""The words that readers see beside an author's own, in the site's language.

One file a language in ``labels/``; every language has the keys and the placeholders of English, which a test holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from ..quote.diagnostics import MetalworkingError

_FOLDER = resources.files("mkdocs_metalworking").joinpath("labels")
SCRIPT = (
    "copy",
    "copied",
    "tap",
    "row",
    "rows",
    "lookup",
    "lookup_term",
    "lookup_none",
    "counterparts",
    "close",
    "used_on",
)
"""Labels that the scripts need."""


@cache
def languages() -> frozenset[str]:
    """Return the codes of the languages that have labels."""
    return frozenset(file.name.removesuffix(".json") for file in _FOLDER.iterdir() if file.name.endswith(".json"))


@cache
def _read(language: str) -> Mapping[str, str]:
    return MappingProxyType(json.loads(_FOLDER.joinpath(f"{language}.json").read_text(encoding="utf-8")))


def labels_for(language: str = "en", changes: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the labels of *language*, Material's code for it, with a site's own *changes* over them.

    ``pt-BR`` falls back to ``pt``, and what has no labels to English. Raises MetalworkingError (``config``) for a
    change that no label has or that names another placeholder.
    """
    known = languages()
    code = next((one for one in (language, language.partition("-")[0]) if one in known), "en")
    found = dict(_read(code))
    for key, text in (changes or {}).items():
        if key not in found:
            raise MetalworkingError(
                "config", f"labels: there is no label {key!r}", f"known: {', '.join(sorted(found))}"
            )
        try:
            text.format(**_SAMPLE)
        except (KeyError, IndexError, ValueError):
            raise MetalworkingError(
                "config", f"labels: {key}: cannot fill {text!r}", f"write it like {found[key]!r}"
            ) from None
        found[key] = text
    return MappingProxyType(found)


_SAMPLE = dict.fromkeys(("n", "count", "name", "lines", "link", "repo", "source", "target", "title"), "")
