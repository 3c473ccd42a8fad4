"""The files of measurements/ and what a wrong one is told."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lab import measurements, probes
from lab.chips import chips
from tests.lab.conftest import ROOT

PROBES = probes.load()
CHIPS = chips()
FILES = measurements.load()


def faults(told: dict[str, Any]) -> list[str]:
    return measurements.faults(told, PROBES, CHIPS)


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_is_sound(name: str) -> None:
    assert faults(FILES[name]) == []
    assert name == name.lower()


def test_there_is_an_h200_and_the_page_says_plainly_that_there_is_no_mac() -> None:
    macs = [told for told in FILES.values() if told["machine"]["chip"].startswith("M")]
    page = (ROOT / "docs/lab.md").read_text(encoding="utf-8")
    assert "H200" in {told["machine"]["chip"] for told in FILES.values()}
    assert ("There is no Mac among them" in page) == (not macs)


def row(told: dict[str, Any], probe: str, case: str) -> dict[str, Any]:
    return next(row for row in told["results"] if (row["probe"], row["case"]) == (probe, case))


WRONG = {
    "no such case": lambda told: row(told, "fma", "8 chains").update(case="9 chains"),
    "twice": lambda told: told["results"].append(copy.deepcopy(told["results"][0])),
    "not ns": lambda told: row(told, "barrier", "32 threads").update(unit="us"),
    "outside": lambda told: row(told, "barrier", "32 threads").update(value=1e9, spread=[1e9, 1e9]),
    "quartiles": lambda told: row(told, "barrier", "32 threads").update(spread=[1, 2]),
    "is a required property": lambda told: told.pop("date"),
    "is not one of": lambda told: told.update(runner="abacus"),
    "less than the minimum": lambda told: told.update(rounds=3),
    "above the chip's": lambda told: told["machine"].update(chip="M4"),
    "larger buffer of KiB": lambda told: row(told, "chase", "512 KiB").update(value=5, spread=[5, 5]),
    "more than twice as fast": lambda told: row(told, "bandwidth", "copy 512 MiB").update(value=2e4, spread=[2e4, 2e4]),
    "wrong result": lambda told: [
        row(told, "f16", "f32").pop(key) for key in ("value", "spread")
    ] and row(told, "f16", "f32").update(state="wrong", why="x"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", list(WRONG))
def test_a_fault_is_told(sentence: str) -> None:
    told = copy.deepcopy(FILES["h200-vulkan"])
    WRONG[sentence](told)
    assert any(sentence in fault for fault in faults(told)), faults(told)
