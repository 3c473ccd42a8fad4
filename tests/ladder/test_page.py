"""The page shows the files as they are, and the H200's numbers as they were measured."""

from __future__ import annotations

import difflib
import re

import pytest
import yaml

from tests.ladder.conftest import LADDER, ROOT, RUNGS, Rung
from tests.ladder.test_rungs import PAGE, table

TEXT = PAGE.read_text(encoding="utf-8")
RESULTS = yaml.safe_load((LADDER / "results.yml").read_text(encoding="utf-8"))
ROWS = RESULTS["rows"]
FENCE = re.compile(r'^    ```(\w+) title="([^"]+)"\n(.*?)^    ```$', re.MULTILINE | re.DOTALL)
FENCES = {title: (lang, re.sub(r"^    ", "", body, flags=re.MULTILINE)) for lang, title, body in FENCE.findall(TEXT)}
LANGUAGES = {".metal": "metal", ".cu": "cuda", ".wgsl": "wgsl"}


def metal(rung: Rung) -> str:
    return (LADDER / "metal" / f"{rung.file}.metal").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", [title for title in FENCES if title.startswith("ladder/")])
def test_a_fence_is_the_file(title: str) -> None:
    lang, body = FENCES[title]
    path = ROOT / title
    assert body == path.read_text(encoding="utf-8")
    assert lang == LANGUAGES[path.suffix]


@pytest.mark.parametrize("rung", RUNGS[1:], ids=[rung.file for rung in RUNGS[1:]])
def test_what_changed_is_the_difference(rung: Rung) -> None:
    before = RUNGS[rung.rung - 1]
    lang, body = FENCES[f"{before.file}.metal to {rung.file}.metal"]
    made = difflib.unified_diff(metal(before).splitlines(), metal(rung).splitlines(), n=1, lineterm="")
    assert body.splitlines() == list(made)[2:]
    assert lang == "diff"


def test_every_file_is_shown() -> None:
    files = [path for path in LADDER.rglob("*") if path.suffix in LANGUAGES and path.name != "climb.cu"]
    assert {path.relative_to(ROOT).as_posix() for path in files} == {t for t in FENCES if t.startswith("ladder/")}
    assert len(FENCES) == len(files) + len(RUNGS) - 1
    assert TEXT.count("```") == 2 * len(FENCES)


def digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):g}"


def speed() -> dict[str, list[str]]:
    lines = TEXT.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| Rung | H200 TFLOPS |"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 2 : start + 14]]
    return {row[0]: row[1:] for row in cells}


def test_the_h200_column_is_the_run() -> None:
    shown = speed()
    names = {f"{rung.rung} {rung.name}": f"rung_{rung.rung}" for rung in RUNGS}
    names |= {"6 in TF32": "rung_6_tf32", "7, then a second kernel": "rung_8_two_kernels", "cuBLAS": "cublas"}
    assert set(shown) == set(names)
    for name, key in names.items():
        row = ROWS[key]
        blocks = re.search(r"(\d+) blocks an SM", row["conditions"])
        share = "" if key == "rung_6_tf32" else f"{row['value'] / ROWS['cublas']['value']:.0%}"
        assert shown[name] == [
            digits(row["value"]),
            share,
            f"{ROWS[key + '_power']['value']:.0f}",
            str(row.get("registers", "")),
            blocks[1] if blocks else "",
        ], name


def test_one_run_at_one_clock() -> None:
    assert RESULTS["machine"]["gpu"] == "NVIDIA H200"
    assert RESULTS["method"]["rounds"] >= 5
    assert {row["value"] for key, row in ROWS.items() if key.endswith("_clock")} == {1980}
    for key, row in ROWS.items():
        low, high = row["spread"]
        assert low <= row["value"] <= high, key
        assert row["conditions"], key


def test_numbers_in_the_text_follow_from_the_run() -> None:
    value = {key: row["value"] for key, row in ROWS.items()}
    said = {
        "11.9 on the H200": value["rung_1"] / value["rung_0"],
        "a factor of 1.4 here": value["rung_2"] / value["rung_1"],
        "2.7 on the H200": value["rung_3"] / value["rung_2"],
        "The H200 gained 40%": 100 * (value["rung_4"] / value["rung_3"] - 1),
        "The H200 gained 4%": 100 * (value["rung_5"] / value["rung_4"] - 1),
        "The H200 lost 62%": 100 * (1 - value["rung_7"] / value["rung_6"]),
        "the H200 gained 0.4%": 100 * (value["rung_8"] / value["rung_8_two_kernels"] - 1),
        "are 24 TB/s": value["rung_1"] / 0.25,
        "are 97% of": 100 * value["rung_2"] / (0.25 * 132 * 128 * 1.98e-3),
        "TF32 at 43.2 TFLOPS": value["rung_6_tf32"],
    }
    for text, number in said.items():
        assert text in TEXT, text
        found = re.search(r"\d+(\.\d+)?", text.replace("H200", "").replace("TF32", ""))
        assert found
        decimals = len(found[1] or ".") - 1
        assert float(found[0]) == pytest.approx(number, abs=0.5 * 10**-decimals), text


def test_the_metal_tables_rungs_are_the_rungs() -> None:
    assert sorted(table("Rung")) == [rung.rung for rung in RUNGS]
    for rung in RUNGS:
        assert TEXT.count(f"| {rung.rung} {rung.name} |") == 3
        assert f"## Rung {rung.rung}: {rung.name.lower()}" in TEXT
