"""Terms as data: one row and one verdict a term; pages held against it; one entry a term in the lookup."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from mkdocs_metalworking.glossary.agreement import disagreements
from mkdocs_metalworking.glossary.asked import Asked
from mkdocs_metalworking.glossary.az import az_index
from mkdocs_metalworking.glossary.callout import Callouts
from mkdocs_metalworking.glossary.inline import breakable
from mkdocs_metalworking.glossary.library import read_entry
from mkdocs_metalworking.glossary.lookup import lookup_data, terms_of
from mkdocs_metalworking.glossary.mapping import mapping_table
from mkdocs_metalworking.glossary.terms import Row, Terms, read_rows
from mkdocs_metalworking.quote.quantities import Quantities

ASKED = Asked(callouts=Callouts("CUDA", "Metal", "cuda"))
HERE = Path(__file__).resolve().parents[2]
PAGE = "---\nsummary: S.\ncuda:\n  term: {term}\n  verdict: {verdict}\n{more}---\n\n# T\n"


def rows(text: str) -> tuple[list[Row], list[str]]:
    found, problems = read_rows(Path("terms.yml"), "terms.yml", text)
    return found, [str(problem) for problem in problems]


def told(text: str, *table: Row) -> list[str]:
    entry = read_entry("a.md", text, "docs/a.md", ASKED, Quantities())
    assert not entry.problems
    return [str(problem) for problem in disagreements([(entry, "docs/a.md", text)], Terms(table))]


def test_a_name_in_two_rows_is_told_with_both_verdicts() -> None:
    text = "- {cuda: a / b, metal: x, verdict: none}\n- {cuda: c, aliases: ['B()'], metal: y, verdict: resized}\n"
    found, problems = rows(text)
    assert len(found) == 2
    assert problems == [
        "terms.yml:2: 'B()' stands in two rows, 'a / b' and 'c', with two verdicts: none and resized"
        " (keep it in the one that answers)"
    ]


def test_an_alias_of_two_rows_with_one_verdict_is_told_too() -> None:
    _, problems = rows("- {cuda: a, aliases: [z], metal: x}\n- {cuda: c, aliases: [z], metal: y}\n")
    assert problems == ["terms.yml:2: 'z' stands in two rows, 'a' and 'c' (keep it in the one that answers)"]


@pytest.mark.parametrize("lines", ["a\nb\nc", ""])
def test_code_has_one_or_two_lines(lines: str) -> None:
    _, problems = rows(f"- cuda: a\n  metal: x\n  code: {{cuda: {lines!r}, metal: ok}}\n".replace("'", '"'))
    assert len(problems) == 1
    assert problems[0].startswith("terms.yml:3")


def test_an_api_that_no_row_names_is_told_where_it_stands() -> None:
    page = PAGE.format(term="Own term", verdict="none", more="  apis: [known, '__unknown']\n")
    assert told(page, Row("known", "x")) == [
        "docs/a.md:6: no row of the table names '__unknown'"
        " (write a row for it, list it among the aliases of one, or take it out of apis:)"
    ]
    assert told(page) == []  # a site without a table


def test_a_verdict_against_the_terms_needs_an_aspect() -> None:
    table = Row("warp", "simdgroup", verdict="transfers", aliases=("Wave",))
    assert told(PAGE.format(term="wave", verdict="transfers", more=""), table) == []
    against = PAGE.format(term="wave", verdict="unlearn", more="")
    assert told(against, table) == [
        "docs/a.md:5: 'wave' is unlearn here and transfers in the table"
        " (write one of the two, or say in aspect: what the page's verdict is about)"
    ]
    assert told(PAGE.format(term="wave", verdict="unlearn", more="  aspect: its width\n"), table) == []


def test_the_lookup_has_one_entry_a_term() -> None:
    table = Terms([Row("a / b", "x", "n", "one.md", "none", aliases=("c",)), Row("d", "y")])
    pages = {
        uri: read_entry(
            uri, PAGE.format(term=term, verdict="resized", more=f"  apis: [{apis}]\n"), uri, ASKED, Quantities()
        )
        for uri, term, apis in (("one.md", "b", "e"), ("two.md", "Own", "c, e"))
    }
    data = lookup_data(
        terms_of(pages.values(), table), [(entry, f"{uri[:-3]}/") for uri, entry in pages.items()], "one.md"
    )
    assert [(row[0], row[3], row[5], row[6]) for row in data["terms"]] == [
        ("a / b", "one/", ["c"], ["two/"]),
        ("d", "one/#term-d", [], []),
        ("e", "one/", [], ["two/"]),
        ("Own", "two/", [], []),
    ]


def test_names_in_any_script_have_ids_and_letters_of_their_own() -> None:
    table = Terms(
        [Row(name, "x", group=group) for name, group in (("поток", "Память"), ("варп", "Потоки"), ("ß", "A"))]
    )
    html = mapping_table(table, lambda uri: "")
    groups = ["group-terms", "group-terms-2", "group-a"]
    assert re.findall(r'<h3 id="([^"]*)"', html) == re.findall(r'<a href="#(group[^"]*)"', html) == groups
    assert len(set(table.anchors.values())) == 3
    index = az_index([], terms_of([], table), lambda uri, anchor: "", ASKED.labels)
    assert re.findall(r"^## (.*) \{ #(.*) \}$", index, re.MULTILINE) == [
        ("S", "letter-s"),
        ("В", "letter-412"),
        ("П", "letter-41f"),
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("cudaMemcpyAsync", "cuda|Memcpy|Async"),
        ("__shfl_down_sync", "&#95;&#95;|shfl&#95;|down&#95;|sync"),
        ("cuda::barrier", "cuda&#58;&#58;|barrier"),
        ("f(x)", "f&#40;|x&#41;"),
        ("--use_fast_math", '<span class="mw-nb">--use&#95;</span>|fast&#95;|math'),
        ("SM", "SM"),
    ],
)
def test_names_break_where_a_reader_would(name: str, shown: str) -> None:
    assert breakable(name) == shown.replace("|", "<wbr>")


def test_the_book_has_one_verdict_a_term() -> None:
    found, problems = read_rows(HERE / "docs/assets/terms.yml", "terms.yml")
    assert problems == []
    assert len(found) > 300
    assert [row.source for row in found if not (row.verdict and row.note and row.cited and row.code)] == []
    groups = [row.group for row in found]
    assert [a for a, b in pairwise(groups) if a != b] == list(dict.fromkeys(groups))[:-1]


def test_a_row_cites_lines_and_no_whole_file() -> None:
    """Who looks a source up finds the place that says so: lines of a file, or of a header that only a package has."""
    for row in read_rows(HERE / "docs/assets/terms.yml", "terms.yml")[0]:
        for cited in row.cited:
            target, _, note = cited.partition(",")
            if "/" in target:
                assert "#L" in target, (row.source, cited)
            elif target == "metal-cpp":
                assert re.search(r"\blines? \d+|\bno such \w+", note), (row.source, cited)


def test_the_words_of_porting_are_in_the_book() -> None:
    """Each part of the world that a porting engineer comes from has its answers, "none" included."""
    table = Terms(read_rows(HERE / "docs/assets/terms.yml", "terms.yml")[0])
    wanted = (
        "cudaSetDevice, cudaDeviceGetAttribute, cudaMalloc, cudaFree, cudaMemcpy, cudaMemset, cudaStreamCreate",
        "cudaEventRecord, cudaGraphLaunch, cooperative groups, __shfl_sync, __ballot_sync, __activemask, atomicAdd",
        "atomicCAS, cp.async, TMA, mma.sync, wgmma, cuBLAS, cuDNN, cuFFT, cuSPARSE, CUTLASS, CUB, Thrust, NCCL",
        "nvcc, ptxas, cuobjdump, ncu, nsys, compute-sanitizer, cuda-gdb",
        "tl.load, tl.dot, tl.program_id, num_warps, num_stages, triton.autotune",
    )
    names = ", ".join(wanted).split(", ")
    assert [name for name in names if table.find(name) is None] == []
