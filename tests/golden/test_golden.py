"""Markdown in; outline, exact HTML and log out. The cases are the YAML files in ``cases/``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.golden.outline import outline
from tests.support import Bench, git


def _cases() -> list[Any]:
    found = []
    for path in sorted((Path(__file__).parent / "cases").glob("*.yml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            assert set(case) <= {"name", "page", "outline", "html", "contains", "log"}, case["name"]
            found.append(pytest.param(case, id=f"{path.stem}: {case['name']}"))
    return found


def _fill(text: str, bench: Bench) -> str:
    commit = bench.commits["acme/kernels"]
    for name, value in {
        "{k}": f"acme/kernels@{commit[:7]}",
        "{full}": commit,
        "{short}": commit[:7],
        "{own}": git(bench.root, "rev-parse", "HEAD")[:7],
        "{_}": "\u00a0",
        "{secret}": f"acme/secret@{bench.commits['acme/secret'][:7]}",
        "{copyleft}": f"acme/copyleft@{bench.commits['acme/copyleft'][:7]}",
        "{partly}": f"acme/partly@{bench.commits['acme/partly'][:7]}",
    }.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("case", _cases())
def test_golden(case: dict[str, Any], bench: Bench) -> None:
    html, page = bench.convert(_fill(case["page"], bench))
    log = [str(problem) for problem in page.diagnostics]
    assert log == [_fill(line, bench) for line in case.get("log", [])]
    assert {"outline", "html", "contains", "log"} & set(case), "a case must check something"
    if "outline" in case:
        assert outline(html) == _fill(case["outline"], bench)
    if "html" in case:
        assert html == _fill(case["html"], bench).rstrip("\n")
    for part in case.get("contains", []):
        assert _fill(part, bench) in html
