"""The probes as data: every twin, check, file and place that they name is there, and what the site reads is current."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lab import expected, measurements, probes, site, twins
from lab.template import render
from tests.lab.conftest import ROOT

PROBES = probes.load()
IDS = [probe["id"] for probe in PROBES]
TWINS = twins.load()
PLACE = re.compile(r'<div class="mw-instrument" data-instrument="probe" data-probe="([a-z0-9 -]+)"')
MUST = {
    "machine/occupancy", "machine/registers", "machine/threadgroup-memory", "machine/f16", "machine/unified-memory",
    "metal/synchronization", "metal/dispatch-geometry", "techniques/roofline", "techniques/gemm-ladder",
}  # fmt: skip


def placed() -> dict[str, list[str]]:
    found = {}
    for path in (ROOT / "docs").rglob("*.md"):
        if names := PLACE.findall(path.read_text(encoding="utf-8")):
            found[path.relative_to(ROOT / "docs").with_suffix("").as_posix()] = names[0].split()
    return found


def test_names_are_used_once() -> None:
    assert len(set(IDS)) == len(IDS)
    for probe in PROBES:
        names = [case["case"] for case in probe["cases"]]
        assert len(set(names)) == len(names), probe["id"]


def test_an_entry_that_breaks_the_schema_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "lab/probes.yml").read_text(encoding="utf-8")
    schema = (ROOT / "lab/probe.schema.json").read_text(encoding="utf-8")
    (tmp_path / "probe.schema.json").write_text(schema, encoding="utf-8")
    (tmp_path / "probes.yml").write_text(text.replace("unit: ns", "unit: hours", 1), encoding="utf-8")
    monkeypatch.setattr(probes, "HERE", tmp_path)
    with pytest.raises(jsonschema.ValidationError, match="hours"):
        probes.load()


@pytest.mark.parametrize("probe", PROBES, ids=IDS)
def test_a_probe_names_only_what_is_there(probe: dict[str, Any]) -> None:
    for case in probe["cases"]:
        twins.twin(TWINS, case)
    for case in probes.cases(probe):
        if case.kind == "loop":
            assert case.check in expected.CHECKS, case.name
        assert case.work(32) > 0
    for page in probe["pages"]:
        assert (ROOT / "docs" / f"{page}.md").is_file()
    known = {case["case"] for case in probe["cases"]}
    assert {name for told in probe.get("differs", []) for name in told["cases"]} <= known


@pytest.mark.parametrize("probe", PROBES, ids=IDS)
def test_every_name_and_repetition_of_a_kernel_is_filled_in(probe: dict[str, Any]) -> None:
    wgsl = probes.sources(PROBES)
    for case in probes.cases(probe):
        for longer in (False, True):
            code = case.code(wgsl[case.values["file"]], longer=longer).replace("${LOG}", "18")
            assert "${" not in code, (case.name, re.findall(r"\$\{.*?\}", code))
            assert "//for" not in code
            assert "//end" not in code


def test_the_longer_kernel_has_twice_the_steps() -> None:
    wgsl = probes.sources(PROBES)
    case = next(case for probe in PROBES for case in probes.cases(probe) if case.name == "8 chains")
    count = [case.code(wgsl["fma"], longer=longer).count("= fma(") for longer in (False, True)]
    assert count == [72, 144]
    assert case.work(256) == 72 * 256


def test_repetitions_nest_and_a_value_may_hold_names() -> None:
    source = "//for i N\n//for j M\n${OP}\n//end\n//end\nend"
    assert render(source, {"N": 2, "M": 2, "OP": "a${i}b${j}"}).split("\n") == ["a0b0", "a0b1", "a1b0", "a1b1", "end"]
    with pytest.raises(KeyError):
        render("//for i MANY\nx\n//end", {})


def test_what_the_book_cites_is_in_the_unit_of_its_probe() -> None:
    """An M5 Max has 40 cores at 1.62 GHz in the chips table; its 117 multiply-adds per core and cycle are 7,582 G/s."""
    case = next(case for probe in PROBES for case in probe["cases"] if case["case"] == "8 chains")
    assert site.cited(case) == {"M5 Max": 7582}
    assert 0.9 < 7582 / (16.59 * 500) < 1
    keys = (ROOT / "sources.yml").read_text(encoding="utf-8")
    for probe in PROBES:
        for told in (case["cited"] for case in probe["cases"] if "cited" in case):
            assert all(f"- key: {key}\n" in keys for _, _, key in told.values()), probe["id"]


def test_each_page_that_a_probe_concerns_has_it_in_place() -> None:
    found = placed()
    assert found.keys() >= MUST
    for page, names in found.items():
        for name in names:
            assert page in next(probe for probe in PROBES if probe["id"] == name)["pages"], (page, name)
            assert f'--8<-- "assets/lab/tables/{name}.txt"' in (ROOT / "docs" / f"{page}.md").read_text("utf-8")


def test_what_the_site_reads_is_what_the_data_say() -> None:
    """`python -m lab.site` writes it."""
    for name, text in site.files().items():
        assert (site.OUT / name).read_text(encoding="utf-8") == text, f"{name}: run python -m lab.site"
    assert {f"tables/{path.name}" for path in (site.OUT / "tables").iterdir()} == {
        name for name in site.files() if name.startswith("tables/")
    }


@pytest.mark.parametrize("probe", PROBES, ids=IDS)
def test_a_probe_agrees_with_its_twin_or_says_by_how_much_it_does_not(probe: dict[str, Any]) -> None:
    rows = measurements.load()[site.SHOWN]["results"]
    told = {name for entry in probe.get("differs", []) for name in entry["cases"]}
    found = {row["case"]: row for row in rows if row["probe"] == probe["id"]}
    apart = set()
    for case in probe["cases"]:
        value = twins.twin(TWINS, case)
        assert case["case"] in found, "not run on the H200"
        if value is None:
            continue
        assert found[case["case"]]["state"] == "ok", case["case"]
        if abs(found[case["case"]]["value"] / value - 1) > twins.TOLERANCE:
            apart.add(case["case"])
    assert apart == told
    for entry in probe.get("differs", []):
        assert re.search(r"\d", entry["why"]), entry
    if not any("twin" in case for case in probe["cases"]):
        assert "no_twin" in probe
