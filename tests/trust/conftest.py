"""The servers and repositories of the transports' tests, and a watch over what is left on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.transports.conftest import make_repo, serve, store, tools  # noqa: F401 (fixtures)


def files_below(folder: Path) -> set[str]:
    """Return everything below *folder*, with sizes, links not followed."""
    return {f"{path.relative_to(folder)}:{path.lstat().st_size}" for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], set[str]]]:
    """Give temporary files and the home folder a place of their own; the result tells what lies there now."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield lambda: files_below(home) | files_below(temporary)
    monkeypatch.setattr(tempfile, "tempdir", None)


def outcome(run: Callable[[], object]) -> object:
    """Return what *run* returns, or the problem that it raises."""
    try:
        return run()
    except MetalworkingError as problem:
        return problem
