"""The quantization page states what MLX's formats cost; benchmarks/quantization_error.py computes it anew here."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.support import some

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mlx" / "quantization.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    core = pytest.importorskip("mlx.core", reason="no wheel of mlx 0.32.1 could be installed here")
    core.set_default_device(core.cpu)
    from benchmarks import quantization_error

    return quantization_error


def cells_of(page: str) -> list[list[str]]:
    """The page's first table, without its line of dashes."""
    lines = page.split("\n| Mode |", 1)[1].split("\n\n", 1)[0].split("\n")
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    return [["Mode", *rows[0]], *rows[2:]]


def same(stated: str, computed: str) -> bool:
    """Whether two cells agree, numbers within the last digit's half and what another CPU's rounding may add."""
    parts = [cell.split(" / ") for cell in (stated, computed)]
    if len(parts[0]) != len(parts[1]):
        return False
    for one, other in zip(*parts, strict=True):
        numbers = re.fullmatch(r"[\d.]+", one) and re.fullmatch(r"[\d.]+", other)
        if not (abs(float(one) - float(other)) <= 0.0011 if numbers else one == other):
            return False
    return True


def test_the_table_is_what_the_script_computes(script: ModuleType) -> None:
    """Half of its rows by day; all of them stand on the page."""
    stated = cells_of(PAGE.read_text(encoding="utf-8"))
    assert len(stated) == 1 + len(script.ROWS)
    chosen = some(range(len(script.ROWS)), 3)
    computed = script.table([script.ROWS[at] for at in chosen])
    for page_row, row in zip([stated[0], *(stated[1 + at] for at in chosen)], computed, strict=True):
        assert page_row[0] == row[0]
        assert len(page_row) == len(row), page_row[0]
        for page_cell, cell in zip(page_row, row, strict=True):
            assert same(page_cell, cell), (page_row[0], page_cell, cell)


def test_what_the_prose_says_about_the_scale_of_the_weights(script: ModuleType) -> None:
    page = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
    low, high = (script.round_trip("mxfp8", 32, 8, sigma)[1] for sigma in (1.4, 1.0))
    assert f"{low:.3f} at σ = 1.4" in page
    assert f"{high:.3f} at σ = 1" in page
    assert f"{script.nvfp4_with_global_scale(0.02):.3f} with `global_scale`" in page


def test_a_cell_that_differs_in_its_last_digit_by_two_fails() -> None:
    assert same("0.394 / 0.190", "0.395 / 0.190")
    assert not same("0.394 / 0.190", "0.396 / 0.190")
    assert not same("0.394", "0.394 / 0.190")
    assert not same("scale, bias", "scale")
