"""What the site shows of the H200's results: `python -m benchmarks.cuda.page` writes docs/assets/h200/results.txt.

One section for each probe, with the anchor that its key in sources.yml leads to, then the twins and the ladder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from benchmarks.cuda.results import read

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs/assets/h200/results.txt"


def sections(results: dict[str, Any], ladder: dict[str, Any]) -> Iterator[str]:
    """Yield the Markdown of the page's sections. *results* is results.yml as data, *ladder* that of the ladder."""
    for key, probe in results["probes"].items():
        yield f"### {probe['title']} {{ #{key.replace('_', '-')} }}\n\nKey `h200:{key.replace('_', '-')}`, program "
        yield f"`benchmarks/cuda/{probe['source']}`.\n\n"
        yield from _table(probe["rows"])
    yield "### The CUDA twins of the kernel pages { #twins }\n\n"
    yield "Key `h200:twins`, programs in `benchmarks/cuda/twins`.\n\n"
    twins = results["twins"].items()
    yield from _table({f"{twin}: {name}": row for twin, entry in twins for name, row in entry["rows"].items()})
    yield "### The GEMM ladder { #ladder }\n\nKey `ladder-h200`, programs in `ladder/cuda`, results in "
    yield f"`ladder/results.yml`: {ladder['method']['rounds']} rounds on {ladder['date']}.\n\n"
    yield from _table(ladder["rows"])


def _table(rows: dict[str, Any]) -> Iterator[str]:
    yield "| Row | Value | Rounds | Machines | Conditions |\n|---|---|---|---|---|\n"
    for name, row in rows.items():
        rounds, machines = (_range(row.get(key)) for key in ("spread", "across"))
        yield f"| `{name}` | {_number(row['value'])} {row['unit']} | {rounds} | {machines} | {row['conditions']} |\n"
    yield "\n"


def _range(ends: list[float] | None) -> str:
    if ends is None:
        return ""
    low, high = map(_number, ends)
    return low if low == high else f"{low} to {high}"


def _number(value: float) -> str:
    return f"{value:,.10g}"


def written() -> str:
    """Return what the file holds."""
    ladder = yaml.safe_load((ROOT / "ladder/results.yml").read_text(encoding="utf-8"))
    return "".join(sections(read(), ladder)).rstrip("\n") + "\n"


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(written(), encoding="utf-8", newline="\n")
