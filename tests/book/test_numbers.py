"""The book's own numbers: what was once told in two ways is refused, and the H200's are those that were measured."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.quote.amounts import agree
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


MEASURED = {
    "h200.sms": "device.sms",
    "h200.clock": "device.clock_fma",
    "h200.warps": "device.warps_per_sm",
    "h200.shared": "device.shared_per_block_optin",
    "h200.shared.sm": "device.shared_per_sm",
    "h200.fma": "fma.fp32_8chains_per_cycle",
    "h200.fma.f16": "fma.fp16_8chains_per_cycle",
    "h200.fma.half2": "fma.fp16x2_8chains_per_cycle",
    "h200.fp32": "fma.fp32_8chains_tflops",
    "h200.half2": "fma.fp16x2_8chains_tflops",
    "h200.fma.latency": "fma.latency_fp32",
    "h200.fma.latency.f16": "fma.latency_fp16",
    "h200.fma.latency.half2": "fma.latency_fp16x2",
    "h200.matrix": "matrix.cublas_bf16",
    "h200.matrix.burst": "matrix.cublas_bf16_burst",
    "h200.gemm.fp32": "matrix.cublas_fp32",
    "h200.read": "bandwidth.read_4096MiB",
    "h200.gemm.one": "double_buffering.tile64_full_single",
    "h200.gemm.two": "double_buffering.tile64_full_two_tiles",
    "h200.sum.i32.latency": "shuffle.reduce_add_latency",
    "h200.blocking.1": "blocking.grid_01x01",
    "h200.blocking.4": "blocking.grid_04x04",
    "h200.blocking.8": "blocking.grid_08x08",
    "h200.blocking.16": "blocking.grid_16x16",
}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "benchmarks/cuda/results.yml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("key", MEASURED)
def test_the_h200_has_the_numbers_that_were_measured(book: Quantities, results: dict[str, Any], key: str) -> None:
    probe, row = MEASURED[key].split(".")
    measured = results["probes"][probe]["rows"][row]
    said = book.get(key).low
    # A page rounds, and takes an end of the range that several machines gave.
    assert agree(said, measured["value"], 0.005), measured["value"]


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
