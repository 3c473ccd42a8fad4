"""SECURITY.md: every promise names tests, and every test that it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def existing() -> set[str]:
    """Return the name of every test function below tests/."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }


def test_every_named_test_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert len(named) > 30
    assert named - existing() == set()


def test_every_promise_names_a_test() -> None:
    section = TEXT[TEXT.index("## What is promised") : TEXT.index("## Out of scope")]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 15
    assert [row for row in rows if len(row.split("|")) != 5 or "`test_" not in row.split("|")[3]] == []


def test_everything_that_the_plugin_reads_is_named() -> None:
    section = TEXT[TEXT.index("## Who is trusted") : TEXT.index("## What is promised")]
    for name in (
        "sources.yml",
        "sources.lock",
        "mapping.yml",
        "quantities.yml",
        "code/",
        "store",
        "index",
        "pull request",
    ):
        assert name in section, name
