"""The page on licenses names the repositories whose code the pages show, each under its license in sources.yml."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_table_names_what_is_quoted() -> None:
    text = (ROOT / "docs" / "licensing.md").read_text(encoding="utf-8")
    table = {
        repo: license_
        for license_, cell in re.findall(r"^\| ([\w.-]+) \| (`.*) \|$", text, re.M)
        for repo in re.findall(r"`([^`]+)`", cell)
    }
    quoted = {
        repo
        for page in (ROOT / "docs").rglob("*.md")
        for repo in re.findall(r"^\s*<< excerpt ([\w.-]+/[\w.-]+)@", page.read_text(encoding="utf-8"), re.M)
    }
    assert len(quoted) >= 9
    sources = yaml.safe_load((ROOT / "sources.yml").read_text(encoding="utf-8"))["repositories"]
    assert table == {entry["repo"]: entry["license"] for entry in sources if entry["repo"] in quoted}
