"""The benchmark runs from end to end on a tiny site; what it measures is for people, not for a test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.growth import picture
from benchmarks.run import HEAD, PAGE, kept, table, with_table
from tests.support import NIGHT, PATIENCE

ROWS = ("full",)
LONG = ("servers", "fetch", "commands", "memory", "weight", "reader", "numbers", "growth")
"""What other tests run too, builds of the same site for another figure, of larger ones, two of the book: at night."""
RUN = {
    "commit": "0123456789abcdef",
    "date": "2026-01-02",
    "machine": "a machine",
    "rows": [
        {
            "row": "growth",
            "what": "cost per excerpt, 100 excerpts",
            "cells": ["cost per excerpt, 100 excerpts", "", "", "", "2 ms", ""],
            "noise": 1.0,
        },
        {
            "row": "growth",
            "what": "cost per excerpt, 1000 excerpts",
            "cells": ["cost per excerpt, 1000 excerpts", "", "", "", "1 ms", ""],
            "noise": 1.5,
        },
        {
            "row": "growth",
            "what": "cost per page, 30 pages",
            "cells": ["cost per page, 30 pages", "", "", "", "8 ms", ""],
            "noise": 1.0,
        },
        {
            "row": "growth",
            "what": "cost per page, 300 pages",
            "cells": ["cost per page, 300 pages", "", "", "", "4 ms", ""],
            "noise": 1.0,
        },
    ],
}


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
        assert re.match(r"[\d.e+-]+( (s|ms|MiB|KiB|requests))?$|[\d.e+-]+ ?\w* \(", cells[4])
        if cells[1]:
            assert float(cells[3]) > 0
            assert re.match(r"[\d.e+-]+ (s|ms|MiB|KiB)", cells[5])


def test_the_page_has_the_table_of_the_run_that_was_kept() -> None:
    assert table(kept()) in PAGE.read_text(encoding="utf-8")


def test_a_table_takes_the_place_of_the_one_before() -> None:
    page = f"# Speed\n\nText.\n\n{HEAD}\n| a | b | c | d | e | f |\n\nOld words.\n\n## More\n"
    assert with_table(page, RUN) == f"# Speed\n\nText.\n\n{table(RUN)}\n\n## More\n"
    assert table(RUN).endswith(
        "a machine, 2026-01-02, commit 0123456; other work ran beside: cost per excerpt, 1000 excerpts."
    )


def test_the_picture_of_growth_says_what_it_shows() -> None:
    svg = ElementTree.fromstring(picture(RUN))
    name = "{http://www.w3.org/2000/svg}"
    said = svg.findtext(f"{name}desc")
    assert said == (
        "Cost per excerpt: 2 ms at 100 excerpts, 1 ms at 1,000 excerpts. "
        "Cost per page: 8 ms at 30 pages, 4 ms at 300 pages."
    )
    middles = [float(circle.attrib["cy"]) for circle in svg.iter(f"{name}circle")]
    assert middles[1] - middles[0] == middles[3] - middles[2] > 0  # half the cost, half the height
