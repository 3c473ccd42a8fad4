"""A measured number that two pages take from one source stands in quantities.yml, and on the pages by its key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from mkdocs_metalworking.quote.quantity_candidates import candidates, cited_targets, measures
from mkdocs_metalworking.quote.quantity_file import load_quantities

ROOT = Path(__file__).resolve().parents[2]
ABOUT_THE_TOOL = {"plugin", "contributing"}
"""Folders whose pages have examples of numbers."""
PAGES = {
    path.relative_to(ROOT / "docs").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.relative_to(ROOT / "docs").parts[0] not in ABOUT_THE_TOOL
}
# Units in which something is measured; bytes, registers and threads are as often counted in code that is quoted.
MEASURED = {"TFLOPS", "GFLOPS", "GB/s", "TB/s", "tok/s", "µs", "ms", "ns", "cycles", "MHz", "GHz", "times", "W"}
# What is no number of a source, and why.
OTHERWISE = {("16", "times"): "two constants of matmul.cpp, one of split-K and one of the vector kernel"}


def told_twice(pages: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """Return the numbers with their unit that two of *pages* have on a line that cites the same source."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, text in pages.items():
        lines = text.split("\n")
        for one in measures(text):
            if one.unit in MEASURED:
                for target in cited_targets(lines[one.line - 1]):
                    found[one.number, one.unit, target].append(f"{name}:{one.line}")
    return {
        (number, unit): places
        for (number, unit, _), places in found.items()
        if len({place.split(":")[0] for place in places}) > 1
    }


def test_no_number_of_a_source_is_told_by_two_pages_in_prose() -> None:
    assert {key: places for key, places in told_twice(PAGES).items() if key not in OTHERWISE} == {}
    assert set(OTHERWISE) <= set(told_twice(PAGES)), "an exception that nobody needs hides the next fault"


def test_a_number_that_a_quantity_has_is_not_told_beside_it() -> None:
    quantities, problems = load_quantities((ROOT / "quantities.yml").read_text(encoding="utf-8"))
    assert problems == []
    found = {
        name: [f"{one.line}: {one.text} is {one.key}" for one in candidates(text, quantities)]
        for name, text in PAGES.items()
    }
    assert {name: told for name, told in found.items() if told} == {}


def test_what_counts_as_told_twice() -> None:
    pages = {
        "a.md": "It takes 46 cycles [@x].\n",
        "b.md": "Some 46 cycles [@x, derived].\n",
        "c.md": "46 cycles [@y].\n",
    }
    assert told_twice(pages) == {("46", "cycles"): ["a.md:1", "b.md:1"]}
    assert (
        told_twice(
            {"a.md": "`46 cycles` [@x]\n", "b.md": "[=h200.a as=text] [@x], 46 bytes [@x]\n", "c.md": pages["a.md"]}
        )
        == {}
    )
