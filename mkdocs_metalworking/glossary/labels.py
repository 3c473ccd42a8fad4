"""The words that readers see beside an author's own, in the site's language.

One file a language in ``labels/``; every language has the keys and the placeholders of English, which a test holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from ..quote.diagnostics import MetalworkingError

_FOLDER = resources.files("mkdocs_metalworking").joinpath("labels")
SCRIPT = (
    *("copy", "copied", "copy_indented", "tap", "row", "rows", "lookup", "lookup_term", "lookup_none"),
    *("counterparts", "close"),
    *("used_on", "also_in", "near", "open_row", "terms"),
)
"""Labels that the scripts need."""
_SAMPLE = dict.fromkeys(("n", "count", "name", "lines", "link", "repo", "source", "target", "title"), "")


class Labels(Mapping[str, str]):
    """The labels of one site, by key. Placeholders stand in braces."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = MappingProxyType(dict(texts))

    def __getitem__(self, key: str) -> str:
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def counted(self, key: str, n: int) -> str:
        """Return the label *key*, or its plural *key*s, with the number *n* in it."""
        return self[key if n == 1 else f"{key}s"].format(n=n)


@cache
def languages() -> frozenset[str]:
    """Return the codes of the languages that have labels."""
    return frozenset(file.name.removesuffix(".json") for file in _FOLDER.iterdir() if file.name.endswith(".json"))


@cache
def _labels_of(code: str) -> Labels:
    return Labels(json.loads(_FOLDER.joinpath(f"{code}.json").read_text(encoding="utf-8")))


def labels_for(language: str = "en", changes: Mapping[str, str] | None = None) -> Labels:
    """Return the labels of *language*, Material's code for it, with a site's own *changes* over them.

    ``pt-BR`` falls back to ``pt``, and what has no labels to English. Raises MetalworkingError (``config``) for a
    change that no label has or that names another placeholder.
    """
    known = languages()
    code = next((one for one in (language, language.partition("-")[0]) if one in known), "en")
    found = _labels_of(code)
    if not changes:
        return found
    for key, text in changes.items():
        if key not in found:
            raise MetalworkingError(
                "config", f"labels: there is no label {key!r}", f"known: {', '.join(sorted(found))}"
            )
        try:
            text.format(**_SAMPLE)
        except (AttributeError, KeyError, IndexError, ValueError):
            hint = f"write it like {found[key]!r}"
            raise MetalworkingError("config", f"labels: {key}: cannot fill {text!r}", hint) from None
    return Labels({**found, **changes})
