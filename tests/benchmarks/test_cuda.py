"""benchmarks/cuda: its results, what the book cites of them, and that the kernels compile."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from benchmarks.cuda.results import read

ROOT = Path(__file__).resolve().parents[2]
CUDA = ROOT / "benchmarks" / "cuda"
RESULTS = read()
ROWS = [(probe, name, row) for probe, entry in RESULTS["probes"].items() for name, row in entry["rows"].items()]


def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cuda_run", CUDA / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def references() -> set[str]:
    text = (ROOT / "sources.yml").read_text(encoding="utf-8")
    return {entry["key"] for entry in yaml.safe_load(text)["references"] if entry["key"].split(":")[0] == "h200"}


def test_the_machines_are_named() -> None:
    assert list(RESULTS["machines"]) == [1, 2, 3, 4]
    for machine in RESULTS["machines"].values():
        assert machine["gpu"] == "NVIDIA H200"
        assert re.fullmatch(r"[0-9.]+", machine["driver"])
        assert re.fullmatch(r"CUDA [0-9.]+", machine["toolkit"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", machine["date"])
    # The values are those of the first machine that a row names; one visit is too few for a spread.
    assert {n for *_, row in ROWS for n in row["machines"][:1]} == {1, 3, 4}
    assert all(RESULTS["machines"][n]["rounds"] >= 5 for n in (1, 3, 4))


def test_every_row_says_on_which_machines_it_was_seen() -> None:
    for probe, name, row in ROWS:
        where = f"{probe}: {name}"
        assert row["machines"] == sorted(set(row["machines"]) & set(RESULTS["machines"])) != [], where
        assert ("across" in row) == (len(row["machines"]) > 1), where
        if "across" in row:
            assert row["across"][0] <= row["value"] <= row["across"][1], where


def test_the_readme_names_every_row_that_moved() -> None:
    section = (CUDA / "README.md").read_text(encoding="utf-8").split("## What moved between machines\n")[1]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| \w+: .*$", section, re.M))))
    shared = [(name, row["across"]) for _, name, row in ROWS if "across" in row]
    moved = {name for name, (low, high) in shared if high > 1.05 * low}
    assert named == moved
    assert f"{len(shared) - len(moved)} of the {len(shared)} rows that all three machines have" in section


def test_a_threshold_is_one_of_the_sizes_tried_and_held_in_every_round() -> None:
    for probe, name, row in ROWS:
        if not name.endswith("_enough"):
            continue
        rows = RESULTS["probes"][probe]["rows"]
        tried = {int(n[-7:-5]) for n in rows if n.startswith(name.removesuffix("enough")) and n.endswith("warps")}
        assert len(tried) == 15, name
        assert row["value"] in tried | {0}, name
        assert row["value"] == row["spread"][1] or row["spread"][0] == 0, name


def test_every_library_product_has_its_clock_and_watts() -> None:
    rows = RESULTS["probes"]["matrix"]["rows"]
    products = {n for n in rows if n.startswith("cublas_") and not re.search(r"_(burst|clock|power)$", n)}
    assert products == {"cublas_bf16", "cublas_fp16", "cublas_tf32", "cublas_fp32", "cublas_bf16_zeros"}
    for name in products:
        assert rows[f"{name}_clock"]["unit"] == "MHz"
        assert rows[f"{name}_power"]["unit"] == "W"


def test_every_row_is_complete() -> None:
    for probe, name, row in ROWS:
        where = f"{probe}: {name}"
        assert {"value", "unit", "spread", "samples", "conditions"} <= set(row), where
        assert isinstance(row["unit"], str), where
        assert isinstance(row["conditions"], str), where
        assert row["conditions"], where
        low, high = row["spread"]
        assert low <= row["value"] <= high, where
        assert row["value"] >= 0, where


def test_every_probe_has_a_source_a_heading_and_rows() -> None:
    readme = (CUDA / "README.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### (\w+)$", readme, re.M))
    named = set(runner().PROBES)
    assert headings == named == set(RESULTS["probes"])
    assert named == {p.stem for p in CUDA.glob("*.cu")}
    makefile = (CUDA / "Makefile").read_text(encoding="utf-8")
    line = re.search(r"^PROBES := (.*)$", makefile, re.M)
    assert line
    assert set(line[1].split()) == named


def test_the_register_rows_have_the_compilers_report() -> None:
    for probe, name, row in ROWS:
        if probe == "registers":
            assert {"registers", "stack", "spill_stores", "spill_loads"} <= set(row), name
    rows = RESULTS["probes"]["registers"]["rows"]
    assert rows["cap255_248"]["spill_stores"] == 0 < rows["cap255_256"]["spill_stores"]
    assert rows["cap128_120"]["spill_stores"] == 0 < rows["cap128_124"]["spill_stores"]


def test_every_citation_exists() -> None:
    known = references()
    headings = {f"h200:{probe.replace('_', '-')}" for probe in RESULTS["probes"]}
    assert known == {"h200", "h200:twins", *headings}
    for page in (ROOT / "docs").rglob("*.md"):
        for key in re.findall(r"\[@(h200[^\],\s]*)", page.read_text(encoding="utf-8")):
            assert key in known, f"{page.relative_to(ROOT)} cites {key}"


def merged_row(**changes: Any) -> dict[str, Any]:
    return {"row": "a", "value": 2.0, "samples": 3, "unit": "us", "conditions": "x: y", **changes}


def test_rounds_are_merged_by_median_and_range() -> None:
    run = runner()
    rows = run.merge("fma", [[merged_row(value=v)] for v in (3.0, 1.0, 2.0)])
    assert rows == [{**merged_row(value=2.0), "spread": [1.0, 3.0]}]


def test_a_row_that_a_round_lacks_is_refused() -> None:
    with pytest.raises(SystemExit, match="a is missing"):
        runner().merge("fma", [[merged_row()], []])


def test_a_threshold_is_what_was_enough_in_every_round() -> None:
    rounds = [[merged_row(row="one_enough", value=v, unit="warps")] for v in (4.0, 8.0, 4.0)]
    (row,) = runner().merge("occupancy", rounds)
    assert (row["value"], row["spread"]) == (8.0, [4.0, 8.0])


def document(monkeypatch: pytest.MonkeyPatch, **values: float) -> dict[str, Any]:
    """What a run on one machine found: one probe, a row for each keyword."""
    run = runner()
    monkeypatch.setattr(run, "machine", lambda: {"gpu": "NVIDIA H200", "toolkit": "CUDA 13.0.88"})
    rounds = [[merged_row(row=name, value=value, unit="FMA/SM/cycle") for name, value in values.items()]]
    text = run.as_yaml(run.document({"fma": run.merge("fma", rounds)}, 1, "2026-11-29"))
    return dict(yaml.safe_load(text))


def test_the_yaml_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    read = document(monkeypatch, small=0.00012, large=123456.0, plain=7.25)
    assert read["machines"] == {1: {"date": "2026-11-29", "rounds": 1, "gpu": "NVIDIA H200", "toolkit": "CUDA 13.0.88"}}
    rows = read["probes"]["fma"]["rows"]
    assert [rows[n]["value"] for n in ("small", "large", "plain")] == [0.00012, 123456, 7.25]
    assert rows["plain"]["unit"] == "FMA/SM/cycle"
    assert rows["plain"]["machines"] == [1]


def test_another_machine_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CUDA))
    add = importlib.import_module("machines").add
    found = document(monkeypatch, a=2.0, b=5.0)
    add(found, document(monkeypatch, a=1.0, c=9.0))
    add(found, document(monkeypatch, a=1.5, c=8.0))
    assert list(found["machines"]) == [1, 2, 3]
    rows = found["probes"]["fma"]["rows"]
    assert (rows["a"]["value"], rows["a"]["machines"], rows["a"]["across"]) == (2, [1, 2, 3], [1, 2])
    assert rows["b"]["machines"] == [1]
    assert "across" not in rows["b"]
    assert (rows["c"]["value"], rows["c"]["machines"], rows["c"]["across"]) == (9, [2, 3], [8, 9])


@pytest.mark.parametrize("name", ["barrier", "atomics"])
def test_it_compiles(name: str, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not on PATH")
    done = subprocess.run(
        [nvcc, "-std=c++17", "-arch=sm_90", "--cubin", "-o", tmp_path / "out", CUDA / f"{name}.cu"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
