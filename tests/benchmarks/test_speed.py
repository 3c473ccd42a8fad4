"""The benchmark runs from end to end on a tiny site; what it measures is for people, not for a test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import NIGHT, PATIENCE

ROWS = ("full", "fetch", "commands", "servers")
LONG = ("memory", "weight", "numbers")
"""Builds of the same site for another figure, and two of the book."""


@pytest.mark.parametrize("row", (*ROWS, *LONG) if NIGHT else ROWS)
def test_every_row_is_a_ratio_of_two_measurements(row: str) -> None:
    command = [sys.executable, "-m", "benchmarks.run", "--small", "--only", row]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    lines = [line for line in lines if not line.startswith("|---")]
    assert lines
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 6
        assert re.match(r"[\d.e+-]+ (s|ms|MiB|KiB)", cells[4])
        if cells[1]:
            assert float(cells[3]) > 0
            assert re.match(r"[\d.e+-]+ (s|ms|MiB|KiB)", cells[5])
