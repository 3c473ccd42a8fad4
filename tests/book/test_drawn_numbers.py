"""Numbers in diagrams: a shape drawn to scale does not move with quantities.yml, so its labels are held against it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from mkdocs_metalworking.quote.quantities import Quantities
from mkdocs_metalworking.quote.quantity_file import load_quantities

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BOOK: Quantities = load_quantities((ROOT / "quantities.yml").read_text(encoding="utf-8"))[0]

# What a diagram tells, by file: keys, with the digits that it shows where the file of quantities has others.
DRAWN: dict[str, dict[str, int | None]] = {
    "kernels/gemm-tiled-traffic.svg": {
        "m5-gemm.fp32": None,
        "m5-gemm.time": 4,
        "m5-gemm.dram": None,
        "m5-gemm.cache": None,
        "m5-max.copy": None,
    },
    "machine/amx.svg": {"m5-max.fp32.chains": None, "m5-max.matrix": None},
    "machine/f16.svg": {
        f"m1.chain.{kind}{more}": None for kind in ("f32", "f16") for more in ("", ".8.1", ".88.1", ".88.4")
    },
    "machine/gpu-core.svg": {"m5-max.cache": None, "m5-max.cache.latency": None},
    "machine/neural-accelerators.svg": {"m5-max.clock": None},
    "machine/registers.svg": {"m5-gemm.fp32": None},
    "machine/unified-memory.svg": {"m5-max.cache.latency": None, "m1.cache.latency": None},
    "mlx/distributed.svg": {"m3-ultra.crossing": None},
    "techniques/arithmetic-intensity.svg": {"m5-max.ridge.nax": None},
    "techniques/double-buffering.svg": {"m2-pro.dram.cycles": None, "m2-pro.step.math": None},
    "techniques/fusion-and-epilogues.svg": {"m5-max.ridge.nax": None, "m5-max.ridge.gemm": None},
    "techniques/gemm-ladder.svg": {"h200.fp32": None},
    "techniques/register-blocking.svg": {"m5-gemm.fp32": None},
    "techniques/roofline.svg": {
        "m5-max.copy": None,
        "m5-max.bandwidth": None,
        "m5-gemm.fp32": None,
        "m5-gemm.fp32.8192": None,
        "mlx.nax": None,
        "m5-max.ridge.gemm": None,
    },
    "two-machines.svg": {"h200.registers": None},
}
SPELLED = {
    "FLOP/byte": ("FLOP per byte",),
    "ns": ("ns", "nanoseconds"),
}


def words(path: Path) -> str:
    """Return all text of a diagram, its title and description included."""
    return " ".join(" ".join(ET.parse(path).getroot().itertext()).split())


def tells(text: str, key: str, digits: int | None) -> bool:
    """Whether *text* has the number of *key*, with its unit where fewer than three digits could be anything."""
    one = BOOK.get(key)
    units = SPELLED.get(one.unit, (one.unit, one.shown))
    number = re.escape(one.number(digits))
    if sum(map(str.isdigit, one.number(digits))) > 2:
        return re.search(rf"(?<![\d.,]){number}(?![\d]|[.,]\d)", text) is not None
    return any(re.search(rf"(?<![\d.,]){number} {re.escape(unit)}", text) for unit in units if unit)


@pytest.mark.parametrize("name", DRAWN)
def test_a_diagram_tells_what_the_file_says(name: str) -> None:
    text = words(DOCS / name)
    missing = [key for key, digits in DRAWN[name].items() if not tells(text, key, digits)]
    assert missing == [], f"{name}: draw it again with {missing}, or take them out here"


def test_another_number_is_not_that_one() -> None:
    assert tells("at 13.5 TFLOPS on", "m5-gemm.fp32", None)
    assert not tells("at 113.5 TFLOPS on", "m5-gemm.fp32", None)
    assert not tells("at 13.4 TFLOPS on", "m5-gemm.fp32", None)
    assert tells("26 FLOP per byte", "m5-max.ridge.gemm", None)
    assert not tells("26 GB/s", "m5-max.ridge.gemm", None)
