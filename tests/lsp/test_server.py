"""``metalworking lsp`` by a real client over stdio: one server for the module, one page of each question."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.lsp.conftest import Editor, Site, path_of
from tests.support import commit_files


@pytest.fixture
def one(editor: Editor, site: Site) -> str:
    """The page one.md as it is on disk, open."""
    if "one.md" not in editor.texts:
        editor.open("one.md", "[@nobody]\n")
        editor.wait("one.md", lambda found: any(one.code == "not-pinned" for one in found))  # the site is read
    editor.type("one.md", site.path("one.md").read_text())
    editor.codes("one.md")
    return editor.texts["one.md"]


def labels(items: list[lsp.CompletionItem]) -> list[str]:
    return [item.label for item in items]


def test_what_is_wrong_stands_at_its_span_in_utf_16_and_unsaved(editor: Editor, one: str) -> None:
    editor.type("one.md", one + "\n\U0001f600 é [@nobody] and [=m1.bandwith].\n")
    found = editor.codes("one.md", "not-pinned", "quantity")
    assert sorted(editor.cut("one.md", problem.range) for problem in found) == ["[=m1.bandwith]", "[@nobody]"]
    assert {problem.range.start.character for problem in found} == {5, 19}
    assert {problem.severity for problem in found} == {lsp.DiagnosticSeverity.Error}
    assert "did you mean m1.bandwidth?" in next(one.message for one in found if one.code == "quantity")


def test_they_are_what_check_finds(editor: Editor, site: Site, one: str, tmp_path: Path) -> None:
    text = one.replace("- L9:", "- L7:").replace("ada-1843, page", "ada-184, page") + "\n<< excerpt a/b >>\n"
    editor.type("one.md", text)
    found = editor.wait("one.md", lambda found: len(found) >= 3)
    saved = site.path("one.md").read_text()
    site.path("one.md").write_text(text)
    command = [sys.executable, "-m", "mkdocs_metalworking", "check", "--json", "docs/one.md"]
    done = subprocess.run(command, cwd=site.root, capture_output=True, text=True)
    site.path("one.md").write_text(saved)
    said = [(problem["line"], problem["code"], problem["message"]) for problem in json.loads(done.stdout)]
    shown = [(one.range.start.line + 1, one.code, one.message.partition(" (")[0]) for one in found]
    assert sorted(shown) == sorted((line or 1, code, message.partition(" (")[0]) for line, code, message in said)
    assert len(said) >= 3


def test_repositories_commits_paths_and_keys_are_offered(editor: Editor, site: Site, one: str) -> None:
    sha, other = site.sha, site.commits["acme/other"][:7]
    assert labels(editor.complete("one.md", one + "\n<< excerpt ")) == [f"acme/kernels@{sha}:", f"acme/other@{other}:"]
    assert labels(editor.complete("one.md", one + "\n> << excerpt acme/kernels@")) == [f"{sha}:"]
    paths = editor.complete("one.md", one + f"\n<< excerpt acme/kernels@{sha}:")
    assert labels(paths) == ["LICENSE", "a file.c", "kernels/add.metal", "kernels/mul.metal"]
    assert paths[1].text_edit is not None
    assert paths[1].text_edit.new_text == '"a file.c"'
    mul = editor.complete("one.md", one + f"\n\U0001f600 [@acme/kernels@{sha}:mul")
    assert labels(mul) == ["kernels/mul.metal"]
    assert editor.cut("one.md", mul[0].text_edit.range) == "mul"
    assert labels(editor.complete("one.md", one + "\n[@ada")) == ["ada-1843"]
    assert labels(editor.complete("one.md", one + "\n[=band")) == ["m1.bandwidth"]
    assert labels(editor.complete("one.md", one + "\n[x](tw")) == ["two.md"]
    assert labels(editor.complete("one.md", one + "\n[x](two.md#b")) == ["below"]
    assert labels(editor.complete("one.md", "---\ncuda:\n  term: barr")) == []  # no front matter yet
    assert labels(editor.complete("one.md", one)) == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [("  term: barr", ["barrier"]), ("  verdict: trans", ["transfers"]), ("  apis: [__sync", ["__syncthreads"])],
)
def test_terms_are_offered_in_the_front_matter(editor: Editor, one: str, line: str, offered: list[str]) -> None:
    before, _, after = one.partition("  term: __syncthreads\n")
    editor.type("one.md", f"{before}{line}\n{after}")
    position = lsp.Position(before.count("\n"), len(line))
    found = editor.ask("text_document_completion", lsp.CompletionParams, "one.md", position)
    assert labels(found.items) == offered


def test_hover_shows_lines_sources_and_conditions(editor: Editor, site: Site, one: str) -> None:
    def hover(words: str, by: int = 3) -> str:
        found = editor.ask("text_document_hover", lsp.HoverParams, "one.md", editor.at("one.md", words, by))
        return found.contents.value if found else ""

    quoted = hover("<< excerpt")
    assert " 8  kernel void add() {\n 9  \tout[i] = a[i];\n10  }" in quoted
    assert f"acme/kernels@{site.sha}:kernels/add.metal#L8-10" in quoted
    assert f"https://github.com/acme/kernels/blob/{site.commits['acme/kernels']}/kernels/add.metal#L8-L10" in quoted
    assert "MIT" in quoted
    assert "9  \tout[i]" in hover("L9:", 1)
    assert "kernel void" not in hover("L9:", 1)
    assert "Ada, *Notes on the engine*, 1843\n\nhttps://example.org/notes" in hover("[@ada-1843, page")
    assert "8  kernel void add()" in hover("[@acme/kernels:")
    assert hover(": [=m1.bandwidth].", 5).startswith("**68 GB/s** `m1.bandwidth`\n\nMemory bandwidth; M1; reported")
    assert hover("`[@ada-1843]`", 4) == ""
    assert hover("# One") == ""


def test_going_to_the_lines_the_source_the_quantity_and_the_page(editor: Editor, site: Site, one: str) -> None:
    def went(words: str, by: int = 3) -> tuple[Path, int]:
        found = editor.ask("text_document_definition", lsp.DefinitionParams, "one.md", editor.at("one.md", words, by))
        return path_of(found.uri), found.range.start.line

    assert went("<< excerpt") == (site.root / "code/acme/kernels/kernels/add.metal", 7)
    (site.root / "code/acme/kernels/kernels/add.metal").write_text("edited\n")
    copy, line = went("<< excerpt")
    assert (copy.read_text().splitlines()[line], copy.stat().st_mode & 0o222) == ("kernel void add() {", 0)
    assert re.fullmatch("[0-9a-f]{7}-add.metal", copy.name)
    (site.root / "code/acme/kernels/kernels/add.metal").write_bytes(copy.read_bytes())
    assert went("[@ada-1843, page") == (site.root / "sources.yml", 8)
    assert went(": [=m1.bandwidth].", 5) == (site.root / "quantities.yml", 1)
    assert went("(two.md#below)") == (site.path("two.md"), 0)
    asked = lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(editor.uri("one.md")))
    targets = [link.target for link in editor.do(editor.client.text_document_document_link_async(asked))]
    home = f"https://github.com/acme/kernels/blob/{site.commits['acme/kernels']}/kernels/add.metal"
    assert targets == [f"{home}#L8-L10", f"{home}#L8"]


def test_every_page_that_quotes_a_file(editor: Editor, one: str) -> None:
    context = lsp.ReferenceContext(include_declaration=True)
    where = editor.at("one.md", "<< excerpt", 3)
    found = editor.ask("text_document_references", lsp.ReferenceParams, "one.md", where, context)
    assert sorted((Path(place.uri).name, place.range.start.line) for place in found) == [
        ("one.md", 10),
        ("one.md", 14),
        ("terms.yml", 0),
        ("two.md", 2),
    ]


def test_a_key_is_renamed_wherever_it_stands(editor: Editor, site: Site, one: str) -> None:
    def renamed(words: str, new: str) -> dict[str, str]:
        where = editor.at("one.md", words, 3)
        return editor.edited(editor.ask("text_document_rename", lsp.RenameParams, "one.md", where, new))

    def read(name: str) -> str:
        return (site.root / name).read_text()

    quantity = renamed("[=m1.bandwidth].", "m1.memory.bandwidth")
    assert quantity == {
        "one.md": one.replace("m1.bandwidth", "m1.memory.bandwidth"),
        "drawing.svg": read("docs/drawing.svg").replace("m1.bandwidth", "m1.memory.bandwidth"),
        "quantities.yml": read("quantities.yml").replace("m1.bandwidth", "m1.memory.bandwidth"),
    }
    citation = renamed("[@ada-1843, page", "ada-notes")
    assert citation == {
        "one.md": one.replace("ada-1843", "ada-notes").replace("`[@ada-notes]`", "`[@ada-1843]`"),
        "two.md": read("docs/two.md").replace("ada-1843", "ada-notes"),
        "terms.yml": read("docs/terms.yml").replace("ada-1843", "ada-notes"),
        "sources.yml": read("sources.yml").replace("ada-1843", "ada-notes"),
        "quantities.yml": read("quantities.yml").replace("ada-1843", "ada-notes"),
    }
    for new in ("Not A Key", "m1.twice", ""):
        with pytest.raises(JsonRpcException):
            renamed("[=m1.bandwidth].", new)
    asked = editor.at("one.md", "[=m1.bandwidth].", 3)
    found = editor.ask("text_document_prepare_rename", lsp.PrepareRenameParams, "one.md", asked)
    assert (editor.cut("one.md", found.range), found.placeholder) == ("m1.bandwidth", "m1.bandwidth")


def test_what_a_message_tells_to_type_is_typed(editor: Editor, site: Site, one: str) -> None:
    def edit_of(text: str, code: str, title: str) -> dict[str, str]:
        editor.type("one.md", one)
        editor.codes("one.md")
        editor.type("one.md", text)
        found = editor.wait("one.md", lambda found: any(one.code == code for one in found))
        problem = next(one for one in found if one.code == code)
        actions = editor.actions("one.md", problem)
        assert title in actions, actions.keys()
        edit = actions[title].edit
        assert edit is not None
        return editor.edited(edit)

    near = one.replace("add.metal#L8-10", "ADD.metal#L8-10")
    assert edit_of(near, "not-locked", "Take the path kernels/add.metal") == {"one.md": one}
    wrong = one.replace(f"acme/kernels@{site.sha}", "acme/kernels@1234567")
    assert edit_of(wrong, "not-pinned", f"Write the pinned commit {site.sha}") == {"one.md": one}
    key = one.replace("[@ada-1843, page", "[@ada-184, page")
    assert edit_of(key, "not-pinned", "Cite ada-1843") == {"one.md": one}
    option = one.replace("hl=9", "hll=9")
    assert edit_of(option, "grammar", "Write hl") == {"one.md": one}
    number = one.replace(": [=m1.bandwidth].", ": [=m1.bandwith].")
    assert edit_of(number, "quantity", "Write m1.bandwidth") == {"one.md": one}
    made = edit_of(one + "\n[@new-source]\n", "not-pinned", "Add an entry for new-source to sources.yml")
    assert made == {
        "sources.yml": (site.root / "sources.yml").read_text() + "  - key: new-source\n    title: new-source\n"
    }


def test_a_commit_is_written_where_several_are_pinned(editor: Editor, site: Site, one: str) -> None:
    text = (site.root / "sources.yml").read_text()
    second = f"  - repo: acme/kernels\n    commit: {'a1' * 20}\n    tag: v2\n    license: MIT\n"
    editor.open("sources.yml", text.replace("references:\n", f"{second}references:\n"))  # not saved
    problem = next(p for p in editor.wait("one.md", lambda found: bool(found)) if p.code == "not-pinned")
    actions = editor.actions("one.md", problem)
    assert {f"Write the pinned commit {site.sha}", "Write the pinned commit a1a1a1a (v2)"} <= actions.keys()
    edit = actions[f"Write the pinned commit {site.sha}"].edit
    assert edit is not None
    assert f"[@acme/kernels@{site.sha}:kernels/add.metal#L8]" in editor.edited(edit)["one.md"]
    editor.close("sources.yml")
    editor.codes("one.md")


def test_a_number_that_a_quantity_tells_becomes_one(editor: Editor, one: str) -> None:
    editor.settled()
    editor.type("one.md", one.replace(": [=m1.bandwidth].", ": it moves 68 GB/s."))
    (hint,) = editor.codes("one.md", "candidate")
    assert hint.severity == lsp.DiagnosticSeverity.Hint
    edit = editor.actions("one.md", hint)["Write [=m1.bandwidth]"].edit
    assert edit is not None
    assert ": it moves [=m1.bandwidth]." in editor.edited(edit)["one.md"]


def test_a_file_is_locked_and_a_commit_pinned_without_the_network(editor: Editor, site: Site, one: str) -> None:
    editor.type("one.md", one + f"\n<< excerpt acme/kernels@{site.sha}:kernels/mul.metal#L1 >>\n")
    (problem,) = editor.codes("one.md", "not-locked")
    action = editor.actions("one.md", problem)["Lock kernels/mul.metal"]
    assert action.command is not None
    editor.carry_out(action.command)
    editor.codes("one.md")
    assert "kernels/mul.metal" in (site.root / "sources.lock").read_text()

    commit = commit_files(
        site.root / "code/acme/third",
        {
            "LICENSE": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
            "t.c": "t\n",
        },
    )
    editor.type("one.md", one + f"\n[@acme/third@{commit}:t.c#L1]\n")
    (problem,) = editor.codes("one.md", "not-pinned")
    action = editor.actions("one.md", problem)[f"Add acme/third@{commit[:7]} to sources.yml"]
    assert action.command is not None
    editor.carry_out(action.command)
    editor.wait("one.md", lambda _: bool(editor.applied))
    text = editor.edited(editor.applied.pop())["sources.yml"]
    assert f'  - repo: acme/third\n    commit: "{commit}"\n    license: MIT\n' in text
    editor.open("sources.yml", text)  # as an editor does, which has not saved it
    editor.codes("one.md", "not-locked")
    editor.close("sources.yml")
    editor.codes("one.md", "not-pinned")


def test_other_files_are_told_of_as_they_are_written(editor: Editor, site: Site, one: str) -> None:
    editor.open("quantities.yml")
    editor.type("quantities.yml", editor.texts["quantities.yml"].replace("unit: GB/s", "unit: GB/parsnip", 1))
    (problem,) = editor.wait("quantities.yml", lambda found: len(found) == 1)
    assert editor.cut("quantities.yml", problem.range) == "unit: GB/parsnip"
    editor.codes("one.md")  # told where it stands, and not once more where it is used
    editor.close("quantities.yml")
    editor.codes("quantities.yml")


def test_a_page_that_is_not_saved_yet_is_a_page(editor: Editor, site: Site, one: str) -> None:
    editor.open("new.md", "# New\n\n[@nobody]\n")
    found = editor.wait("new.md", lambda found: len(found) == 2)
    assert sorted(str(problem.code) for problem in found) == ["nav", "not-pinned"]
    assert "new.md" in labels(editor.complete("one.md", one + "\n[x](new"))
    editor.close("new.md")
    editor.codes("new.md")


def test_an_uneven_text_breaks_nothing(editor: Editor, one: str) -> None:
    for text in (
        "",
        "\r\n\r",
        "\ufeff# \U0001f600\r\n[@",
        "---\ncuda: [\n---\n",
        "<< excerpt",
        "<" * 5000,
        "\u2028\x0c[=m1.",
        "\udc00",
        "\x00",
    ):
        editor.type("one.md", text)
        for line in range(3):
            position = lsp.Position(line, 4)
            editor.ask("text_document_hover", lsp.HoverParams, "one.md", position)
            editor.ask("text_document_completion", lsp.CompletionParams, "one.md", position)
    editor.type("one.md", "a\u2028b\x0cc \U0001f600 [@nobody]\r\n\r\n[@nobody-2]\r\n")
    found = editor.wait("one.md", lambda found: [str(p.code) for p in found].count("not-pinned") == 2)
    places = [(one.range.start.line, one.range.start.character) for one in found if one.code == "not-pinned"]
    assert places == [(0, 9), (2, 0)]


def test_a_folder_without_a_site_is_left_alone(tmp_path: Path) -> None:
    editor = Editor(tmp_path).start(["utf-8"])
    (tmp_path / "docs").mkdir()
    editor.open("x.md", "[@nobody]\n")
    assert editor.ask("text_document_hover", lsp.HoverParams, "x.md", lsp.Position(0, 3)) is None
    assert editor.told("x.md") == []
    assert editor.messages == []
    editor.stop()
