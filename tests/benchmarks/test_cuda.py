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

ROOT = Path(__file__).resolve().parents[2]
CUDA = ROOT / "benchmarks" / "cuda"
RESULTS = yaml.safe_load((CUDA / "results.yml").read_text(encoding="utf-8"))
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


def test_the_machine_is_named() -> None:
    machine = RESULTS["machine"]
    assert machine["gpu"] == "NVIDIA H200"
    assert re.fullmatch(r"[0-9.]+", machine["driver"])
    assert re.fullmatch(r"CUDA [0-9.]+", machine["toolkit"])
    assert str(RESULTS["date"]) == "2026-11-29"
    assert RESULTS["method"]["rounds"] >= 5


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
    assert known == {"h200", *headings}
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


def test_the_yaml_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner()
    monkeypatch.setattr(run, "machine", lambda: {"gpu": "NVIDIA H200", "toolkit": "CUDA 13.0.88"})
    rows = run.merge("fma", [[merged_row(value=v, unit="FMA/SM/cycle")] for v in (0.00012, 123456.0, 7.25)])
    read = yaml.safe_load(run.as_yaml({"fma": rows}, 3, "2026-11-29"))
    assert read["machine"]["gpu"] == "NVIDIA H200"
    row = read["probes"]["fma"]["rows"]["a"]
    assert row["value"] == 7.25
    assert row["spread"] == [0.00012, 123456]
    assert row["unit"] == "FMA/SM/cycle"


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
