"""The labels: every language says the same things, with the same placeholders."""

from __future__ import annotations

import string

import pytest

from mkdocs_metalworking.glossary.labels import SCRIPT, labels_for, languages
from mkdocs_metalworking.quote.diagnostics import MetalworkingError


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", sorted(languages()))
def test_a_language_has_the_keys_and_placeholders_of_english(language: str) -> None:
    english, other = labels_for("en"), labels_for(language)
    assert set(other) == set(english)
    assert {key: places(text) for key, text in other.items()} == {key: places(text) for key, text in english.items()}
    assert all(text.strip() == text and text for text in other.values())


def test_a_language_falls_back() -> None:
    assert labels_for("pt-BR") == labels_for("pt") != labels_for("en")
    assert labels_for("xx") == labels_for("en")
    assert set(SCRIPT) <= set(labels_for("en"))


def test_a_site_may_change_a_label() -> None:
    assert labels_for("en", {"next": "Onward"})["next"] == "Onward"
    with pytest.raises(MetalworkingError, match="there is no label 'nxt'"):
        labels_for("en", {"nxt": "Onward"})
    with pytest.raises(MetalworkingError, match="cannot fill"):
        labels_for("en", {"chapter": "Part {number}"})
