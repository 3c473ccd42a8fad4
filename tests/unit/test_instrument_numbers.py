"""A number of hardware stands in quantities.yml and nowhere in the scripts of the instruments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mkdocs_metalworking.quote.quantity_file import load_quantities

HERE = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((HERE / "docs/assets/instruments").glob("*.js"))
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
# Keys of quantities, and addresses: their digits are no numbers.
NAME = re.compile(r'"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+"|https?://\S+|#L\d+|L\d+(?:-\d+)?')
NUMBER = re.compile(r"(?<![\w.#])\d[\d_,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])")
UNITS = "GB/s|TB/s|TFLOPS|KB|MHz|GHz|ns|µs|cycles|registers|simdgroups|threads|cores|lanes|%"
UNIT = re.compile(rf"(?<![\w.#$])(\d{{1,3}}(?:,\d{{3}})*(?:\.\d+)?)[ \u00a0]?({UNITS})(?![\w-])")

# What only looks like a number of hardware, by file, and what it is.
STRUCTURE: dict[str, dict[str, str]] = {
    "address.js": {"400": "characters of a text"},
    "decode-ceiling.js": {
        "128": "head dimension",
        "256": "first stop",
        "512": "prompt of a run, bound of a field",
        "6.5": "bits",
    },
    "dispatch-geometry.js": dict.fromkeys(("1200", "128", "192", "256", "512"), "sizes of launches"),
    "double-buffer.js": {"128": "threads of m5-gemm"},
    "kv-cache.js": {"128": "head dimension", **dict.fromkeys(("192", "256", "512"), "stops of the memory of a Mac")},
    "matmul-dispatch.js": dict.fromkeys(("128", "512"), "sizes of products"),
    "matmul-route.js": dict.fromkeys(("128", "256", "512"), "tiles and limits of matmul.cpp, by its lines"),
    "occupancy.js": {
        "128": "threads of m5-gemm",
        "256": "step of the slider",
        "32": "KB of the codebook that was measured",
        **dict.fromkeys(("64", "88"), "registers of a kernel in steel"),
    },
    "roofline.js": {"1.02": "what rounding may add to a bound"},
    "roofs.js": {"128": "head dimension"},
    "tile-budget.js": {"200": "bound of a field", **dict.fromkeys(("128", "256", "512"), "edges of tiles")},
    "ui.js": {"190": "width of a column"},
}

# From one unit to the next.
CONVERSION = {"100", "1000", "1024"}


def numbers(script: str) -> set[str]:
    """Every number of a script and its texts, as written; without comments and keys."""
    text = NAME.sub('""', COMMENT.sub("", script))
    return {match[0].replace(",", "").rstrip(".") for match in NUMBER.finditer(text)}


def values() -> dict[float, str]:
    """Values of quantities with three digits or a fraction: such a number is hardly anything else."""
    found = {}
    quantities, problems = load_quantities((HERE / "quantities.yml").read_text(encoding="utf-8"))
    assert problems == []
    for key, quantity in quantities.by_key.items():
        for value in (round(quantity.low, 6), round(quantity.high, 6)):
            if value >= 100 or value != int(value):
                found[value] = key
    return found


# A drawing is places and widths in units of its view box.
DRAWING = re.compile(r"^const (?:picture|gauge|geometry|hand|grid) = .*?^};\n", re.DOTALL | re.MULTILINE)


def suspects(name: str, script: str, known: dict[float, str]) -> set[str]:
    allowed = STRUCTURE.get(name, {})
    rest = numbers(DRAWING.sub("", script))
    exact = {one for one in numbers(script) if "." in one and len(one.replace(".", "").lstrip("0")) > 2}
    same = {one for one in (rest | exact) - CONVERSION if round(float(one), 6) in known and one not in allowed}
    told = {match[0] for match in UNIT.finditer(COMMENT.sub("", script)) if match[1] not in allowed}
    return same | told


def test_no_number_of_hardware_stands_in_a_script() -> None:
    known = values()
    found = {path.name: suspects(path.name, path.read_text(encoding="utf-8"), known) for path in SCRIPTS}
    assert {name: sorted(each) for name, each in found.items() if each} == {}


def test_every_exception_is_used() -> None:
    """An exception that no script needs any more would hide the next fault."""
    for name, allowed in STRUCTURE.items():
        script = (HERE / "docs/assets/instruments" / name).read_text(encoding="utf-8")
        assert set(allowed) <= numbers(script), name


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("const RATE = 13.5;", {"13.5"}),
        ("const CYCLES = [11.34, 8.36];", {"11.34", "8.36"}),
        ("const POOL = 208 * 1024;", {"208"}),
        ('says: "at most 6 GB/s",', {"6 GB/s"}),
        ('"at most 1,024 threads"', {"1,024 threads"}),
        ("`a loss of 19% of its speed`", {"19%"}),
        ('/* 13.5 TFLOPS, measured */ const rate = quantity("m5-gemm.fp32"); // 208 KB', set()),
        ("const half = width * 0.5;", set()),
    ],
)
def test_what_counts_as_one(script: str, found: set[str]) -> None:
    assert suspects("new.js", script, values()) == found
