"""The book's own numbers: what was once told in two ways is refused, and tables have none of their own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.quote.quantities import Quantities
from mkdocs_metalworking.quote.quantity_file import load_quantities

ROOT = Path(__file__).parents[2]
FILE = ROOT / "quantities.yml"


@pytest.fixture(scope="module")
def book() -> Quantities:
    project = Project.load(Settings.of({"offline": True}, base=ROOT))
    project.close()
    assert project.problems == []
    return project.quantities


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def inputs(book: Quantities, key: str) -> set[str]:
    """Return the keys that the formula of *key* comes down to."""
    found: set[str] = set()
    todo = [key]
    while todo:
        more = set(book.get(todo.pop()).inputs) - found
        found |= more
        todo += more
    return found


# Numbers that two pages once told in two ways, or that did not follow from the numbers beside them: key, wrong value.
CONTRADICTIONS = {
    "eight barriers a step cost what one does": ("m4-pro.barriers", 0.0836),
    "an integer sum given to floats": ("m1.simd-sum.f32", 7.8),
    "FP16 over a fallen FP32": ("m5-max.fp16-ratio", 1.85),
    "a blocking wait against a spinning one": ("wait.ratio", 17),
    "tensor cores dozens of times the lanes": ("h200.matrix-ratio", 100),
    "the ridge of the lanes, 29 beside 26": ("m5-max.ridge.lanes", 29),
    "the ridge of the matrix units, 116 beside 102": ("m5-max.ridge.matrix", 116),
    "the ridge of another machine": ("h200.ridge", 295),
    "a pool that a log assumes": ("m1.registers.1024", 64),
    "an idle dispatch of the slow mode": ("m5-max.dispatch", 2.6),
    "published bandwidth as it is multiplied": ("m1-max.bandwidth", 409.6),
    "a clock that a tool printed": ("m3-max.clock", 1398),
    "a share of the wrong peak": ("m5.read.share", 79),
    "a library's share": ("m5-max.mps-share", 78),
    "seven groups by memory alone": ("tile.m1.groups", 11),
    "one register more than there is": ("m4.registers", 128),
    "the atomic rates of two memories": ("m5-max.atomic.one", 104),
    "the saturation that registers allow": ("m1.saturation", 12),
    "the whole chip counted at another clock": ("m4.fp32", 3.58),
    "an accelerator counted twice": ("m5-max.matrix.counted", 58.1),
    "the highest bandwidth of the table, 819 beside 1,200": ("m5-ultra.bandwidth", 819),
    "warps that a peak of another kernel asks for": ("h200.read.warps.one", 64),
    "a read that two pages round in two ways": ("m5-max.read.cpu.0", 570),
    "one GEMM in three roundings": ("m2-ultra.fp32.reached", 20.8),
    "prefetch into registers, called unmeasured": ("h200.gemm.alone.registers", 12),
    "a barrier's own cost, cut instead of rounded": ("h200.barrier.base", 12.6),
    "a matrix kernel's share, of half given to float": ("m1.gemm.share", 80),
    "threadgroup atomics as those of device memory": ("m5-max.atomic.own", 828),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_source_that_says_otherwise_is_refused(book: Quantities, written: dict[str, Any], name: str) -> None:
    key, wrong = CONTRADICTIONS[name]
    assert book.get(key).dispute == ""
    entry = dict(written["quantities"][key])
    entry["sources"] = [*entry.get("sources", ()), {"cite": "h200", "value": wrong}]
    needed = {name: written["quantities"][name] for name in inputs(book, key)}
    told = {"counts": written["counts"], "quantities": {**needed, key: entry}}
    _, problems = load_quantities(yaml.safe_dump(told, allow_unicode=True))
    assert len(problems) == 1
    assert f"{key}: h200 says {wrong:g}".rstrip("0") in str(problems[0]).replace(",", "")
    assert "or say why under dispute:" in problems[0].hint


SPARE = re.compile(r"^\| (M\d(?: \w+)?) \|.*$", re.MULTILINE)


def test_the_table_of_chips_has_no_number_of_its_own() -> None:
    page = (ROOT / "docs/machine/chips.md").read_text(encoding="utf-8")
    rows = [match[0] for match in SPARE.finditer(page) if "Apple" in match[0]]
    assert len(rows) == 19
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")[3:9]]
        assert all(re.fullmatch(r"(\[=[a-z0-9.-]+ as=number\])?", cell) for cell in cells), row


def test_the_page_of_numbers_has_no_number_of_its_own() -> None:
    page = (ROOT / "docs/machine/numbers.md").read_text(encoding="utf-8")
    cells = [cell.strip() for line in page.split("\n") if line.startswith("|") for cell in line.split("|")[2:-1]]
    heads = {"M1, M2", "M3, M4", "M5", "H200", "---"}
    assert len(cells) > 200
    for cell in cells:
        assert cell in heads or re.fullmatch(r"(\[=[a-z0-9.-]+ as=cell\])?", cell), cell


def test_instruments_read_only_keys_that_are_there(book: Quantities) -> None:
    asked = set()
    for path in (ROOT / "docs/assets/instruments").glob("*.js"):
        asked.update(re.findall(r'quantity\("([^"]+)"\)', path.read_text(encoding="utf-8")))
    assert len(asked) >= 20
    assert asked <= set(book.by_key)
