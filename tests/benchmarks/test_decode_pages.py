"""The tables of the pages on decode, reductions and split-K say what results.yml says, digit for digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.cuda.results import read

ROOT = Path(__file__).resolve().parents[2]
RESULTS = read()


def value(probe: str, row: str) -> float:
    found: dict[str, Any] = RESULTS["probes"][probe]["rows"][row]
    return float(found["value"])


def three(number: float) -> str:
    """Three digits, as the tables of times have them."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:.1f}" if number >= 9.995 else f"{number:.2f}"


def best(shape: str, way: str) -> str:
    rows = [name for name in RESULTS["probes"]["split_k"]["rows"] if name.startswith(shape) and name.endswith(way)]
    time, parts = min((value("split_k", name), int(name.split("_")[1])) for name in rows)
    return f"{three(time)}, {parts} parts"


QMV = [
    f"| {rows} | "
    + " | ".join(f"{value('decode', f'qmv_{how}_{rows}'):,.0f}" for how in ("mask", "shift", "dp4a"))
    + " |"
    for rows in (1, 2, 4, 8)
]
SDPA = [
    f"| {d}, {group} | {size} MB | "
    + " | ".join(three(value("decode", f"sdpa_{d}_group_{group}_{how}")) for how in ("key", "32_keys"))
    + (f" | {three(value('decode', f'sdpa_{d}_group_{group}_4_heads'))} |" if group == 8 else " | |")
    for d, group, size in ((128, 1, 537), (128, 4, 134), (128, 8, 67), (64, 1, 268), (64, 8, 34))
]
SUMS = [
    f"| {what} | {three(value('reduction', f'sum_1M_{how}'))} | {three(value('reduction', f'sum_64M_{how}'))} |"
    for how, what in (
        ("two_kernels", "two kernels"),
        ("last_block", "one kernel, last block adds"),
        ("atomics", "result cleared, one atomic per block"),
        ("warp_atomics", "result cleared, one atomic per warp"),
    )
]
SPLITS = [
    f"| {name} | {three(value('split_k', f'{shape}_001'))} | {best(shape, '_two_kernels')} | "
    f"{best(shape, '_atomics')} |"
    for shape, name in (
        ("128x128x16384", "128 × 128 × 16,384"),
        ("512x512x4096", "512 × 512 × 4,096"),
        ("1024x1024x1024", "1,024 × 1,024 × 1,024"),
    )
]


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("kernels/qmv-decode.md", QMV),
        ("kernels/sdpa-vector.md", SDPA),
        ("techniques/reduction.md", SUMS),
        ("techniques/split-k.md", SPLITS),
    ],
)
def test_a_table_says_what_was_measured(page: str, rows: list[str]) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [row for row in rows if row not in text] == []


def test_the_tree_loses_by_the_factors_that_the_page_gives() -> None:
    text = (ROOT / "docs" / "techniques" / "reduction.md").read_text(encoding="utf-8")
    few, many = (
        value("reduction", f"block_tree_{warps}_warps") / value("reduction", f"block_two_level_{warps}_warps")
        for warps in ("04", "32")
    )
    assert f"{few:.1f} times the cycles of two levels in a block of 4 warps and {many:.1f} times in one of 32" in text


def test_atomics_do_not_repeat() -> None:
    text = (ROOT / "docs" / "techniques" / "split-k.md").read_text(encoding="utf-8")
    first, second = (value("split_k", f"{s}_032_atomics_differ") for s in ("128x128x16384", "512x512x4096"))
    assert f"{first:.0f}% of the elements of the first product differed" in text
    assert f"{second:.0f}% of the second" in text
