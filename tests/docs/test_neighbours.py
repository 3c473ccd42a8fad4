"""docs/plugin/neighbours.md: every plugin that is tried, at the version that is tried."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.adoption.neighbours import neighbours

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `([^`]+)` \| (\S+) \| (\S+) \| (.*) \|$", re.MULTILINE)


def test_the_table_is_that_of_the_matrix() -> None:
    page = (ROOT / "docs/plugin/neighbours.md").read_text(encoding="utf-8")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    pins = dict(pin.split("==") for pin in groups["neighbours"])
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    material = re.search(r"^mkdocs-material==(\S+)$", constraints, re.MULTILINE)
    assert material is not None
    pins["mkdocs-material"] = material[1]
    shown = {name: (package, version, told) for name, package, version, told in ROW.findall(page)}
    assert shown == {
        one.name: (package := one.package or "mkdocs-material", pins[package], one.behaves) for one in neighbours()
    }
    assert set(pins) == {one.package or "mkdocs-material" for one in neighbours()}
    assert sum(one.daily for one in neighbours()) == 10


def test_every_neighbour_is_told_apart() -> None:
    names = [one.name for one in neighbours()]
    assert len(names) == len(set(names))
