"""The house style's linter: each rule on a sentence that breaks it and on one that does not, and where it points to."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose.__main__ import main
from prose.lint import lint
from prose.names import subjects
from prose.page import Kind, read

REPOSITORY = Path(__file__).resolve().parents[2]


def rules(text: str) -> list[str]:
    return [hit.rule for hit in lint(text)]


@pytest.mark.parametrize(
    ("rule", "breaks", "keeps"),
    [
        ("per", "It holds 64 a simdgroup.", "It holds 64 per simdgroup."),
        ("per", "It retires 0.5 FMAs a cycle.", "Half a warp waits."),
        ("per", "One barrier a step is enough.", "One of a core's four schedulers issues."),
        ("per", "The rate is [=m1.fma as=number] a core.", "The rate is [=m1.fma as=number] per core."),
        ("per", "They write two values a lane.", "They write the two values a lane holds."),
        ("turned", "It's not a cache, it's a scratchpad.", "The cache is no scratchpad."),
        ("turned", "This is not a probability. It is a weight.", "This weight can exceed 1. The kernel scales it."),
        ("turned", "It saves not only time.", "It saves time and power."),
        ("referent", "On M1 the latter wins.", "On M1 the texture path wins."),
        ("referent", "So says the first source.", "So says the feature table."),
        ("filler", "It is really slow.", "It takes 3 ms."),
        ("hype", "A powerful matrix unit.", "A matrix unit of 0.5 TFLOPS."),
        ("hype", "They leverage it.", "The package mkdocs-awesome-nav sorts."),
        ("american", "The behaviour differs.", "The behavior differs."),
        ("american", "It was optimised.", "It was optimized, and that was wise."),
        ("american", "It is labelled.", "It is labeled."),
        ("twice", "Move the the tile.", "Said that that holds, move the tile."),
        ("question", "Why does it stall?", "It stalls because the queue is full."),
        ("closer", "The feature is old. It follows, and falls short.", "The feature is old. It follows M1 in 8 cases."),
        ("closer", "The copy is asynchronous. Nothing reports it.", "Nothing reports it."),
        ("closer", "The copy is asynchronous. That is all.", "The copy needs three things. They are these:"),
        ("cited", "So it is [@a], was [@b] and will be [@c].", "So it is [@a] and was [@b]. It will be [@c]."),
        ("cited", "One [@a] two [@b] three. [@c]", "One [@a]. Two [@b]. Three. [@c]"),
        ("long", "W" + " a word" * 20 + ".", "W" + " a word" * 19 + "."),
        ("dash", "One — two — three — four.", "One — two — three."),
    ],
)
def test_a_rule_knows_what_breaks_it(rule: str, breaks: str, keeps: str) -> None:
    assert f"house.{rule}" in rules(f"# Title\n\n{breaks}\n")
    assert rules(f"# Title\n\n{keeps}\n") == []


def test_proselint_itself_is_asked() -> None:
    assert rules("It works, more or less unique as it is, at this point in time.\n")


@pytest.mark.parametrize(
    "literal",
    [
        "```\n64 a simdgroup, colour\n```",
        "    64 a simdgroup, colour",
        "Call `colour` for it.",
        "See [the page](https://example.org/64-a-thread/colour.html).",
        '<< excerpt a/b@1234567:colour.md#L1 title="64 a thread" >>',
        "<!-- 64 a thread -->",
        '--8<-- "colour.svg"',
        "It is [@a, in colour].",
        'The sign said "64 a thread, in colour".',
    ],
)
def test_what_is_not_prose_is_not_read(literal: str) -> None:
    assert rules(f"# Title\n\n{literal}\n") == []


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("One line,\nthen a colour.\n", 2),
        ("- One\n- Two\n\n  Then\n  a colour.\n", 5),
        ("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | a colour |\n", 4),
        ('!!! note "Box"\n\n    In a colour.\n\nOut.\n', 3),
        ('=== "Tab"\n\n    - In\n    - a colour\n', 4),
        ("---\nsummary: In a colour.\n---\n\n# T\n", 2),
        ("---\nsummary: x\ncuda:\n  term: y\n  carries: >-\n    A colour.\n---\n# T\n", 5),
        ("---\nsummary: x\n---\n# T\n\nA colour.\n", 6),
        ("<figure>\n<svg></svg>\n<figcaption>In a\ncolour.</figcaption>\n</figure>\n", 4),
        ("<< excerpt a/b@1234567:c.m#L1-9 >>\n- L4: In a colour.\n", 2),
        ("> Quoted,\n> a colour.\n", 2),
    ],
)
def test_a_hit_has_the_line_of_the_file(page: str, line: int) -> None:
    found = lint(page)
    assert [(hit.line, hit.rule) for hit in found] == [(line, "house.american")]
    assert found[0].message == 'American spelling: "color", not "colour"'


def test_a_phrase_does_not_run_on_into_the_next_piece() -> None:
    assert rules("| 64 | a thread |\n|---|---|\n| 8 | a lane |\n") == []


def test_cells_are_no_sentences() -> None:
    assert rules("| A |\n|---|\n| One [@a] two [@b] three [@c] |\n") == []


def test_notes_and_front_matter_are_told_apart() -> None:
    pieces = read("---\nsummary: Sum.\n---\n\n# Title\n\nText.\n\n- L4: Note.\n- Item.\n")
    assert [(piece.kind, piece.line, piece.text) for piece in pieces] == [
        (Kind.FRONT, 2, "Sum."),
        (Kind.HEADING, 5, "Title"),
        (Kind.PARAGRAPH, 7, "Text."),
        (Kind.NOTE, 9, "Note."),
        (Kind.ITEM, 10, "Item."),
    ]


def test_a_subject_with_a_page_is_linked() -> None:
    titles = {"Occupancy": "machine/occupancy.md", "MSL": "metal/msl.md"}
    found = lint("# T\n\nOf\noccupancy and msl.\n", here="metal/mps.md", titles=titles)
    assert [(hit.line, hit.rule) for hit in found] == [(4, "house.unlinked")]
    assert not lint("# T\n\nOf [it](../machine/occupancy.md#x).\n\nOccupancy.\n", here="metal/mps.md", titles=titles)
    assert not lint("# T\n\nOccupancy.\n", here="machine/occupancy.md", titles=titles)


def test_a_repository_of_hands_on_is_linked() -> None:
    titles = {"Occupancy": "machine/occupancy.md"}
    said = [hit.message for hit in lint("# T\n\nm5-gemm is fast.\n", here="metal/mps.md", titles=titles)]
    assert said == [
        '"m5-gemm" is told elsewhere (github.com/yaroslavvb/m5-gemm, or hands-on.md), and nothing here leads there'
    ]
    linked = "# T\n\n[m5-gemm](https://github.com/yaroslavvb/m5-gemm) is fast, m5-gemm.\n"
    assert not lint(linked, here="metal/mps.md", titles=titles)
    assert not lint("# T\n\n[Try it](../hands-on.md): m5-gemm.\n", here="metal/mps.md", titles=titles)


def test_the_subjects_are_those_of_the_book() -> None:
    titles = subjects(REPOSITORY / "mkdocs.yml")
    assert titles["Simdgroup"] == "machine/simdgroup.md"
    assert titles["Tiled GEMM"] == "kernels/gemm-tiled.md"
    assert not {"Layout", "Licensing", "Numbers", "Grammar"} & set(titles)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mkdocs.yml").write_text("nav:\n  - Home: index.md\n  - One:\n      - A: one/a.md\n", encoding="utf-8")
    Path("docs/one").mkdir(parents=True)
    Path("docs/one/a.md").write_text("# A\n\nIn a colour.\n", encoding="utf-8")
    Path("docs/index.md").write_text("# Home\n\nOf a.\n", encoding="utf-8")
    assert main(["docs"]) == 1
    assert capsys.readouterr().out.startswith("docs/one/a.md:3: house.american: ")
    assert main(["docs/index.md"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["docs/gone.md"]) == 2
