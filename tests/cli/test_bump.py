"""``metalworking bump``: every place follows its lines, or nothing is written."""

from __future__ import annotations

import shutil

import pytest

from mkdocs_metalworking.quote.sources_file import load_sources
from tests.cli.conftest import Desk
from tests.support import git

OLD = "".join(f"line {n};\n" for n in range(1, 31))
HEAD = "// new first line\n// new second line\n"


def pinned(desk: Desk, files: dict[str, str | bytes], extra: str = "tag: v1.0\n    date: 2024-05-01") -> None:
    desk.add_repo("acme/kernels", files, extra=extra)
    desk.write([("acme/kernels", name) for name in files])


def test_every_kind_of_place_moves_with_its_lines(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD, "b.c": "only\n"})
    (desk.root / "mapping.yml").write_text(
        "# kept\n- cuda: x\n  metal: y\n  source: ['acme/kernels:a.c#L5-6, a note']\n", encoding="utf-8"
    )
    (desk.root / "quantities.yml").write_text(
        "quantities:\n  a: {value: 1, sources: [{cite: 'acme/kernels:a.c#L30, M1'}]}\n", encoding="utf-8"
    )
    desk.config("{store: store,", "{store: store, mapping: mapping.yml,")
    desk.config("[footnotes, admonition]", "[footnotes, admonition, md_in_html]")
    (desk.root / "docs/data.json").write_text('{"src": "acme/kernels:a.c#L30"}\n', encoding="utf-8")
    desk.page("second/three.md", "# Table\n\n[=a]\n\n<!-- mapping-table -->\n")
    desk.page(
        "first/one.md",
        "---\nsummary: One.\ncuda:\n  term: x\n  verdict: none\n  carries: Kept [@acme/kernels:a.c#L1, M1].\n---\n\n"
        "# One\n\n"
        '<< excerpt {k}:a.c#L3-5,L8 hl=4,8 title="hl=9 is a title" first="line 3" >>\n'
        "- L4: A note on `L5` and L5.\n  Its second line, L8: still the same.\n- L3-5, L8: All.\n\n"
        "Text.\n\n- L9: a list of its own.\n\n"
        "> - In a list in a quote:\n>\n>     << excerpt {k}:a.c#L10- >>\n>     - L11: Eleven.\n\n"
        "Text [@acme/kernels:a.c#L1,L5-6, M1 and M2]: `[@acme/kernels:a.c#L1]` is code, "
        "\\[@acme/kernels:a.c#L1] is text; the whole file [@acme/kernels@{c}:b.c].\n\n"
        "```\n<< excerpt {k}:a.c#L3 >>\n[@acme/kernels:a.c#L3]\n```\n".replace("{c}", desk.commits["acme/kernels"]),
    )
    new = desk.commit({"a.c": HEAD + OLD, "b.c": "only\nmore\n"})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "docs/data.json:1: moved a.c L30 -> L32",
        "docs/first/one.md:6: moved a.c L1 -> L3",
        "docs/first/one.md:11: moved a.c L3-5,L8 -> L5-7,L10",
        "docs/first/one.md:22: moved a.c L10-30 -> L12-32",
        "docs/first/one.md:25: moved a.c L1,L5-6 -> L3,L7-8",
        "docs/first/one.md:25: unchanged b.c",
        "    cited as a whole, and the file changed: read it again",
        "mapping.yml:4: moved a.c L5-6 -> L7-8",
        "quantities.yml:2: moved a.c L30 -> L32",
        "sources.yml:2: tag: v1.0 dropped: it was of the old commit",
    ]
    assert done.stderr.splitlines()[-2:] == [
        f"acme/kernels {desk.sha} -> {new[:7]}: 1 unchanged, 7 moved",
        "6 files written",
    ]
    old = desk.sha
    text = desk.text("docs/first/one.md")
    assert "carries: Kept [@acme/kernels:a.c#L3, M1]." in text
    assert f'acme/kernels@{new[:7]}:a.c#L5-7,L10 hl=6,10 title="hl=9 is a title" first="line 3" >>' in text
    assert "- L6: A note on `L5` and L5.\n  Its second line, L8: still the same.\n- L5-7, L10: All.\n\n" in text
    assert "- L9: a list of its own." in text
    assert f">     << excerpt acme/kernels@{new[:7]}:a.c#L12- >>\n>     - L13: Eleven." in text
    assert "[@acme/kernels:a.c#L3,L7-8, M1 and M2]: `[@acme/kernels:a.c#L1]` is code, \\[@acme/kernels:a.c#L1]" in text
    assert f"the whole file [@acme/kernels@{new}:b.c]." in text
    assert f"```\n<< excerpt acme/kernels@{old}:a.c#L3 >>\n[@acme/kernels:a.c#L3]\n```" in text
    assert desk.text("mapping.yml") == "# kept\n- cuda: x\n  metal: y\n  source: ['acme/kernels:a.c#L7-8, a note']\n"
    assert "cite: 'acme/kernels:a.c#L32, M1'" in desk.text("quantities.yml")
    assert desk.text("docs/data.json") == '{"src": "acme/kernels:a.c#L32"}\n'
    assert f"    commit: {new}\n    license: MIT\n    date: 2024-05-01\n" in desk.text("sources.yml")
    assert "tag:" not in desk.text("sources.yml")
    lock = desk.text("sources.lock")
    assert desk.commits["acme/kernels"] not in lock
    assert lock.count(new) == 2
    checked = desk.metalworking("check")
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (OLD.replace("line 4;", "line four;"), ["changed a.c L3-5", "    @@ L3-5 -> L3-5 @@", "    -line 4;"]),
        ("nothing here\n" * 3, ["vanished a.c L3-5", "    is nowhere in the file, nor is anything like it"]),
        (None, ["vanished a.c L3-5", "the commit has no such file"]),
        (
            "x\n" + OLD[24:40] + "\n" + OLD[16:40] + OLD[16:40] + "y\n",
            ["ambiguous a.c L3-5", "    stands on L5-7, L8-10"],
        ),
    ],
)
def test_nothing_is_written_unless_everything_relocates(desk: Desk, new: str | None, said: list[str]) -> None:
    pinned(desk, {"a.c": OLD, "b.c": "only\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3-5 >>\n\n[@acme/kernels:b.c#L1]\n")
    before = desk.state()
    commit = desk.commit({"a.c": new, "b.c": "first\nonly\n"})
    done = desk.metalworking("bump", "acme/kernels", "--to", commit)
    assert done.exit_code == 1
    assert done.stdout.startswith(f"docs/first/one.md:3: {said[0]}\n")
    for line in said[1:]:
        assert line in done.stdout
    assert "docs/first/one.md:5: moved b.c L1 -> L2" in done.stdout
    assert (
        f"nothing was written; mend these places first, or run: metalworking bump acme/kernels --to {commit} --keep-old"
        in (done.stderr)
    )
    assert desk.state() == before


def test_the_old_place_comes_before_others_and_parts_keep_their_order(desk: Desk) -> None:
    pinned(desk, {"a.c": "a\n}\nb\n}\nc\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L2 >>\n")
    desk.page("first/two.md", "# Two\n\n<< excerpt {k}:a.c#L1,L3,L5 >>\n")
    desk.commit({"a.c": "x\n}\nb\na\nc\n}\n"})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "docs/first/one.md:3: unchanged a.c L2",
        "docs/first/two.md:3: reordered a.c L1,L3,L5",
        "    L1 moved to L4",
        "    L3 stands on L3 now, above the part before it",
        "    L5 unchanged",
    ]


def test_parts_that_come_to_touch_become_one(desk: Desk) -> None:
    pinned(desk, {"a.c": "a\nb\nc\nd\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L1,L4 hl=4 >>\n- L4: It.\n")
    new = desk.commit({"a.c": "a\nd\n"})
    assert desk.metalworking("bump", "acme/kernels").exit_code == 0
    assert desk.text("docs/first/one.md") == f"# One\n\n<< excerpt acme/kernels@{new[:7]}:a.c#L1-2 hl=2 >>\n- L2: It.\n"


def test_a_file_quoted_as_a_whole_must_be_the_same(desk: Desk) -> None:
    pinned(desk, {"a.c": "a\nb\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    desk.commit({"a.c": "a\nb\nc\n"})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 1
    assert "changed a.c L1-2\n    quoted as a whole, and it has 3 lines now, not 2\n" in done.stdout
    new = desk.commit({"a.c": "a\nb\n", "other": "x\n"})
    assert desk.metalworking("bump", "acme/kernels").exit_code == 0
    assert f"<< excerpt acme/kernels@{new[:7]}:a.c >>" in desk.text("docs/first/one.md")


def test_keep_old_moves_what_relocates_and_names_the_commit_everywhere(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD, "b.c": "only\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3-5 hl=4 >>\n- L4: Note.\n\n[@acme/kernels:a.c#L20]\n")
    desk.page("first/two.md", "# Two\n\n[@acme/kernels:b.c#L1], [@acme/kernels:a.c#L3]\n")
    old = desk.commits["acme/kernels"]
    new = desk.commit({"a.c": HEAD + OLD.replace("line 20;", "line twenty;")})
    done = desk.metalworking("bump", "acme/kernels", "--keep-old")
    assert done.exit_code == 0, done.output
    assert f"{old[:7]} stays pinned beside it" in done.stderr
    assert desk.text("docs/first/one.md") == (
        f"# One\n\n<< excerpt acme/kernels@{new[:7]}:a.c#L5-7 hl=6 >>\n- L6: Note.\n\n"
        f"[@acme/kernels@{old[:7]}:a.c#L20]\n"
    )
    assert f"[@acme/kernels@{new[:7]}:b.c#L1], [@acme/kernels@{new[:7]}:a.c#L5]" in desk.text("docs/first/two.md")
    assert desk.text("sources.yml").splitlines()[1:-1] == [
        "  - repo: acme/kernels",
        f"    commit: {old}",
        "    license: MIT",
        "    tag: v1.0",
        "    date: 2024-05-01",
        "  - repo: acme/kernels",
        f"    commit: {new}",
        "    license: MIT",
        "    date: 2024-05-01",
    ]
    assert desk.metalworking("check").exit_code == 0
    again = desk.metalworking("bump", "acme/kernels")
    assert again.exit_code == 1
    assert "no commit fits several pinned commits of acme/kernels" in again.stdout


def test_keep_old_with_nothing_to_move_writes_nothing(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3 >>\n")
    before = desk.state()
    desk.commit({"a.c": None, "b.c": "x\n"})
    assert desk.metalworking("bump", "acme/kernels", "--keep-old").exit_code == 1
    assert desk.state() == before


def test_comments_and_formatting_of_sources_yml_stay(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    old = desk.commits["acme/kernels"]
    before = (
        "# The list.\n\nrepositories:\n"
        "  # another one\n"
        f'  - repo: acme/other\n    commit: "{"1" * 40}"\n    license: MIT\n\n'
        f"  - repo: acme/kernels  # ours\n    commit: {old}  # pinned\n    tag: v1.0\n    date: 2020-01-01\n"
        "    license: MIT\n    packages:\n      - wheel: demo==1.0\n        root: include/\n      # a comment\n"
        "    about: >-\n      Two lines\n\n      of text.\n    mirrors: [acme/fork]\n\n"
        "# after it\nreferences: []\n"
    )
    (desk.root / "sources.yml").write_text(before, encoding="utf-8")
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3 >>\n")
    new = desk.commit({"a.c": OLD, "b": "b\n"})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 0, done.output
    gone = (
        "    tag: v1.0\n",
        "    packages:\n      - wheel: demo==1.0\n        root: include/\n",
        "    mirrors: [acme/fork]\n",
    )
    expected = before.replace(old, new).replace("2020-01-01", "2024-05-01")
    for lines in gone:
        expected = expected.replace(lines, "")
    assert desk.text("sources.yml") == expected
    assert "packages: demo==1.0 dropped" in done.stdout


def test_an_entry_that_cannot_be_edited_is_left(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    path = desk.root / "sources.yml"
    path.write_text(
        f"repositories: [{{repo: acme/kernels, tag: v1, commit: {desk.commits['acme/kernels']}, license: MIT}}]\n"
    )
    desk.commit({"a.c": HEAD + OLD})
    done = desk.refused("bump", "acme/kernels")
    assert "sources.yml:1: acme/kernels: its entry is written in a way that cannot be edited (write one key a line" in (
        done.stdout
    )


@pytest.mark.parametrize(
    "entries",
    [
        'repositories:\n  - {{<<: {{repo: acme/kernels, license: MIT}}, commit: "{commit}"}}\n',
        'repositories:\n  - <<: {{commit: "{commit}", license: MIT}}\n    repo: acme/kernels\n',
        '<<: {{repositories: [{{repo: acme/kernels, commit: "{commit}", license: MIT}}]}}\n',
    ],
    ids=["repo", "commit", "all"],
)
def test_an_entry_that_yaml_merges_is_left(desk: Desk, entries: str) -> None:
    pinned(desk, {"a.c": OLD})
    (desk.root / "sources.yml").write_text(entries.format(commit=desk.commits["acme/kernels"]))
    desk.commit({"a.c": HEAD + OLD})
    assert "acme/kernels: its entry is written in a way that" in desk.refused("bump", "acme/kernels").stdout


def test_an_entry_moves_beside_one_that_yaml_merges(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    path, old = desk.root / "sources.yml", desk.commits["acme/kernels"]
    merged = f'  - <<: {{license: MIT, commit: "{"0" * 40}"}}\n    repo: acme/other\n'
    before = f'repositories:\n{merged}  - repo: acme/kernels\n    commit: "{old}"\n    license: MIT\n'
    path.write_text(before)
    new = desk.commit({"a.c": HEAD + OLD})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 0, done.output
    assert path.read_text() in (before.replace(old, new), before.replace(f'"{old}"', new))


def test_tags_and_branches_are_taken_from_the_remote(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    new = desk.commit({"a.c": HEAD + OLD})
    from tests.support import git

    git(desk.home(), "tag", "-a", "-m", "two", "v2.0")
    desk.commit({"a.c": OLD})
    done = desk.metalworking("bump", "acme/kernels", "--to", "v2.0")
    assert done.exit_code == 0, done.output
    assert f"commit: {new}\n" in desk.text("sources.yml")
    assert "    tag: v2.0\n" in desk.text("sources.yml")
    refused = desk.metalworking("bump", "acme/kernels", "--to", "v3.0")
    assert refused.exit_code == 1
    assert "'v3.0' is no full commit id, and no branch or tag there" in refused.stdout


def test_what_ends_it_before_it_begins(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3 >>\n")
    assert "acme/kernels is at" in desk.metalworking("bump", "acme/kernels").stdout
    assert "acme/nothing is not in sources.yml" in desk.metalworking("bump", "acme/nothing").stdout
    absent = desk.metalworking("bump", "acme/kernels", "--to", "d" * 40)
    assert absent.exit_code == 2
    assert "dddddddddddd" in absent.stdout
    desk.page("first/two.md", "# Two\n\n<< excerpt {k}:a.c#L99 >>\n")
    desk.commit({"a.c": HEAD + OLD})
    broken = desk.metalworking("bump", "acme/kernels")
    assert broken.exit_code == 1
    assert broken.stdout.startswith("docs/first/two.md:3: L99 runs past the end")
    shutil.rmtree(desk.home())
    gone = desk.metalworking("bump", "acme/kernels")
    assert gone.exit_code == 2


def test_lines_from_an_included_file_are_not_lost_from_sight(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk.root)
    pinned(desk, {"a.c": OLD})
    desk.config("[footnotes, admonition]", "[footnotes, {pymdownx.snippets: {base_path: [docs]}}]")
    (desk.root / "docs/part.txt").write_text(f"<< excerpt acme/kernels@{desk.sha}:a.c#L3 >>\n", encoding="utf-8")
    desk.page("first/one.md", '# One\n\n--8<-- "part.txt"\n')
    desk.commit({"a.c": HEAD + OLD})
    done = desk.refused("bump", "acme/kernels")
    assert done.stdout.startswith(
        "docs/first/one.md: a.c#L3 is on the page, but not in its text (it comes from an included"
    )


def test_windows_line_ends_stay(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    page = desk.root / "docs/first/one.md"
    page.write_bytes(f"# One\r\n\r\n<< excerpt acme/kernels@{desk.sha}:a.c#L3 >>\r\n- L3: Three.\r\n".encode())
    new = desk.commit({"a.c": HEAD + OLD})
    assert desk.metalworking("bump", "acme/kernels").exit_code == 0
    assert page.read_bytes() == f"# One\r\n\r\n<< excerpt acme/kernels@{new[:7]}:a.c#L5 >>\r\n- L5: Three.\r\n".encode()


def test_the_list_for_people_follows_when_it_was_current(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    assert desk.metalworking("sources").exit_code == 0
    new = desk.commit({"a.c": HEAD + OLD})
    assert desk.metalworking("bump", "acme/kernels").exit_code == 0
    assert new in desk.text("SOURCES.md")
    assert desk.metalworking("sources", "--check").exit_code == 0
    (desk.root / "SOURCES.md").write_text("by hand\n", encoding="utf-8")
    desk.commit({"a.c": OLD})
    assert desk.metalworking("bump", "acme/kernels").exit_code == 0
    assert desk.text("SOURCES.md") == "by hand\n"


def test_a_dry_run_and_json(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD, "LICENSE": "MIT\n"})
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3 >>\n")
    new = desk.commit({"a.c": HEAD + OLD, "LICENSE": "Other\n"})
    before = desk.state()
    report = desk.json("bump", "acme/kernels", "--dry-run")
    assert desk.state() == before
    assert report == {
        "repo": "acme/kernels",
        "from": desk.commits["acme/kernels"],
        "to": new,
        "written": False,
        "remarks": ["LICENSE changed: is it still MIT?", "tag: v1.0 dropped: it was of the old commit"],
        "places": [
            {
                "path": "docs/first/one.md",
                "line": 3,
                "kind": "excerpt",
                "file": "a.c",
                "outcome": "moved",
                "old": "L3",
                "new": "L5",
                "candidates": [],
                "details": [],
            }
        ],
    }


def test_what_ends_it_is_json_too(desk: Desk) -> None:
    pinned(desk, {"a.c": OLD})
    (problem,) = desk.json("bump", "acme/nothing")
    assert problem["code"] == "not-pinned"
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L99 >>\n")
    desk.commit({"a.c": HEAD + OLD})
    (problem,) = desk.json("bump", "acme/kernels")
    assert (problem["path"], problem["line"], problem["code"]) == ("docs/first/one.md", 3, "range")
    (desk.root / "mkdocs.yml").write_text("site_name: [\n", encoding="utf-8")
    (problem,) = desk.json("check")
    assert problem["code"] == "config"


@pytest.mark.parametrize("entry", ["block", "flow"])
@pytest.mark.parametrize(
    "tag", ["@foo", "&a", "!x", "|", "%x", "`x", '"x"', "a,quote", 'a,"about"', "null", "1.0", "#x"]
)
def test_whatever_a_tag_is_called_it_is_text(desk: Desk, tag: str, entry: str) -> None:
    """The author of a repository names its tags, and git takes nearly everything."""
    pinned(desk, {"a.c": OLD})
    if entry == "flow":
        commit = desk.commits["acme/kernels"]
        text = f'repositories:\n  - {{repo: acme/kernels, commit: "{commit}", license: MIT, tag: v0}}\n'
        (desk.root / "sources.yml").write_text(text)
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L3-5 >>\n")
    new = desk.commit({"a.c": HEAD + OLD})
    git(desk.home(), "update-ref", f"refs/tags/{tag}", "HEAD")
    done = desk.metalworking("bump", "acme/kernels", "--to", tag)
    assert done.exit_code == 0, done.output
    sources, problems = load_sources(desk.text("sources.yml"))
    assert problems == []
    (pin,) = sources.pins
    assert (pin.commit, pin.tag, pin.license, pin.quote, pin.about) == (new, tag, "MIT", True, "")
