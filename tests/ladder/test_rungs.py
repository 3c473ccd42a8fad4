"""Every rung compiles, gives NumPy's product on odd and even shapes, and counts what the page claims."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from msl.shim import Run
from tests.ladder.conftest import LADDER, ROOT, RUNGS, Compile, Product, Rung

PAGE = ROOT / "docs" / "techniques" / "gemm-ladder.md"
SHAPES = [(64, 64, 32), (1, 1, 1), (67, 33, 19), (130, 70, 37), (32, 96, 12)]
Climb = Callable[[Rung, Product], Run]
rungs = pytest.mark.parametrize("rung", RUNGS, ids=[rung.file for rung in RUNGS])


@rungs
@pytest.mark.parametrize("shape", SHAPES, ids=["x".join(map(str, shape)) for shape in SHAPES])
def test_it_multiplies(climb: Climb, rung: Rung, shape: tuple[int, int, int]) -> None:
    product = Product.of(*shape)
    run = climb(rung, product)
    assert [str(finding) for finding in run.findings] == []
    np.testing.assert_allclose(product.C, product.expected(rung.rung), rtol=0, atol=product.tolerance())


@rungs
def test_c_is_written_once(climb: Climb, rung: Rung) -> None:
    counts = climb(rung, Product.of(64, 64, 16)).counts
    assert counts["device_write_bytes"] == 64 * 64 * 4


@rungs
def test_it_has_15_to_60_lines(rung: Rung) -> None:
    assert 15 <= len((LADDER / "metal" / f"{rung.file}.metal").read_text(encoding="utf-8").splitlines()) <= 60


def table(heading: str) -> dict[int, dict[str, str]]:
    """Cells of the page's table whose first heading is *heading*, by rung and column."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    columns = [cell.strip() for cell in lines[start].strip("|").split("|")]
    rows = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if number := re.match(r"\d", cells[0]):
            rows[int(number[0])] = dict(zip(columns, cells, strict=True))
    return rows


def shown(value: float) -> str:
    """As the page writes a number: three digits, no trailing zeros, thousands apart, nothing as a dash."""
    if value == 0:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.3g}'):g}"


@pytest.fixture(scope="module")
def counted(climb: Climb) -> dict[int, dict[str, str]]:
    """The table out of the counts: what 32 more of K cost in a product of 128 x 128, so that C does not count."""
    rows = {}
    for rung in RUNGS:
        short, long = (climb(rung, Product.of(128, 128, k)).counts for k in (32, 64))
        more = {name: long[name] - short[name] for name in long}
        multiplies = 128 * 128 * 32
        loads = more["threadgroup_reads"] or more["device_reads"]
        per_multiply = loads / multiplies
        if more["fragment_multiplies"]:
            per_multiply = more["fragment_loads"] / more["fragment_multiplies"]
        staged = more["threadgroup_read_bytes"]
        rows[rung.rung] = {
            "FLOP per byte, device": shown(2 * multiplies / more["device_read_bytes"]),
            "FLOP per line of 128 B": shown(2 * multiplies / more["device_read_lines"]),
            "FLOP per byte, threadgroup": shown(2 * multiplies / staged if staged else 0),
            "Loads per multiply": shown(per_multiply),
            "Threadgroup bytes": shown(long["threadgroup_bytes"]),
            "Barriers per K step": shown(more["barriers"] / long["threadgroups"] / (32 / 16)),
            "Threads": shown(long["threads"] / long["threadgroups"]),
        }
    return rows


@rungs
def test_the_page_says_what_is_counted(counted: dict[int, dict[str, str]], rung: Rung) -> None:
    claimed = table("Rung")[rung.rung]
    assert {name: claimed[name] for name in counted[rung.rung]} == counted[rung.rung]


BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


@pytest.mark.parametrize("missing", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("rung", RUNGS[2:7], ids=[rung.file for rung in RUNGS[2:7]])
def test_both_barriers_are_needed(compiled: Compile, rung: Rung, missing: int) -> None:
    source = (LADDER / "metal" / f"{rung.file}.metal").read_text(encoding="utf-8")
    parts = source.split(BARRIER)
    assert len(parts) == 3
    joints = ["", BARRIER] if missing == 0 else [BARRIER, ""]
    source = parts[0] + joints[0] + parts[1] + joints[1] + parts[2]
    p = Product.of(64, 64, 48)
    run = compiled(source, f"{rung.file}.metal").run("gemm", [p.A, p.B, p.C, p.size], rung.groups(64, 64), rung.threads)
    assert "race" in {finding.kind for finding in run.findings}


def test_fragments_multiply_as_often_as_the_shape_asks(climb: Climb) -> None:
    for rung in RUNGS[6:]:
        counts = climb(rung, Product.of(128, 64, 64)).counts
        assert counts["fragment_multiplies"] == 128 * 64 * 64 // 512, rung.file
        assert counts["exchanges"] == counts["fragment_multiplies"]
