"""What the book is built with is known to the plugin: checks read it the fast way, saves replay it, code joins late."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.config import load_config

from mkdocs_metalworking.hosts.mkdocs.compatibility import joins_late, shaping
from mkdocs_metalworking.hosts.mkdocs.replay_inputs import PLUGINS, is_known

BOOK = Path(__file__).resolve().parents[2]


def test_the_plugins_of_the_book_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(BOOK / "mkdocs.yml"))
    assert shaping(config) == []
    assert joins_late(config)
    assert set(config.plugins) <= PLUGINS
    assert all(is_known(one, config) for one in config.markdown_extensions)
