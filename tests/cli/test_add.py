"""``add``: the entry of a commit that is not pinned, to paste or to be written; what is printed can be pasted."""

from __future__ import annotations

import shutil

import pytest

from mkdocs_metalworking.quote.sources_file import load_sources
from tests.cli.conftest import Desk

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software\n"
BSD = "Redistributions in binary form must reproduce the above\nNames may be used to endorse or promote products\n"


def link(desk: Desk, repo: str = "acme/new", path: str = "a.c#L1") -> str:
    return f"https://github.com/{repo}/blob/{desk.commits[repo]}/{path}"


@pytest.fixture
def unpinned(desk: Desk) -> Desk:
    desk.add_repo("acme/kernels", {"k.c": "int k;\n"})
    desk.write([])
    desk.add_repo("acme/new", {"a.c": "int a;\n", "LICENSE.md": MIT})
    desk.pins.pop()
    return desk


@pytest.mark.parametrize("cloned", [True, False])
def test_the_entry_to_paste(unpinned: Desk, cloned: bool) -> None:
    if not cloned:
        unpinned.home("acme/new")
        shutil.rmtree(unpinned.root / "code")
    done = unpinned.refused("add", link(unpinned))
    assert done.stdout.splitlines()[1:] == [
        "to paste into sources.yml, or metalworking add --pin writes it:",
        "  - repo: acme/new",
        f'    commit: "{unpinned.commits["acme/new"]}"',
        "    license: MIT",
        "    license_file: LICENSE.md",
        '    date: "2024-05-01"',
    ]


@pytest.mark.parametrize("text", [None, "{old}", "# first\n{old}# last\n\nreferences: []\n"])
def test_the_pin_is_written_when_asked(unpinned: Desk, text: str | None) -> None:
    path = unpinned.root / "sources.yml"
    old = path.read_text().replace("references: []\n", "")
    path.unlink()
    if text is not None:
        path.write_text(text.replace("{old}", old))
    kept = [] if text is None else [pin.repo for pin in load_sources(path.read_text())[0].pins]
    done = unpinned.metalworking("add", "--pin", link(unpinned))
    assert done.exit_code == 0, done.output
    assert done.stdout == f"<< excerpt acme/new@{unpinned.commits['acme/new'][:7]}:a.c#L1 >>\n"
    sources, problems = load_sources(path.read_text())
    assert problems == []
    assert [pin.repo for pin in sources.pins] == [*kept, "acme/new"]
    assert "a.c" in unpinned.text("sources.lock")


def test_line_ends_and_the_byte_order_mark_stay(unpinned: Desk) -> None:
    path = unpinned.root / "sources.yml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    before = path.read_bytes().split(b"\r\n")
    assert unpinned.metalworking("add", "--pin", link(unpinned)).exit_code == 0
    after = path.read_bytes().split(b"\r\n")
    assert b"\n" not in b"".join(after)
    assert (after[:4], after[9:]) == (before[:4], before[4:])


def test_a_name_is_printed_so_that_no_terminal_obeys_it(desk: Desk) -> None:
    name = "a\u202eb.c"
    desk.add_repo("acme/kernels", {name: "int a;\n"})
    desk.write([("acme/kernels", name)])
    done = desk.metalworking("add", link(desk, "acme/kernels", "a%E2%80%AEb.c"))
    assert "\u202e" not in done.output
    assert "\\u202e" in done.output
    for bad in ("a%1B[31m.c", "a%0Ab.c"):
        done = desk.metalworking("add", link(desk, "acme/kernels", bad))
        assert done.exit_code == 1
        assert "\x1b" not in done.output


def test_pins_that_share_seven_digits_are_told_apart() -> None:
    one, other = "1a486eb" + "0" * 33, "1a486eb" + "1" * 33
    text = "repositories:\n" + "".join(f"  - repo: o/n\n    commit: '{c}'\n    license: MIT\n" for c in (one, other))
    sources, problems = load_sources(text)
    assert problems == []
    assert [pin.short for pin in sources.pins] == ["1a486eb0", "1a486eb1"]
    with pytest.raises(Exception, match="1a486eb0, 1a486eb1"):
        sources.pin("o/n", "1a486eb")


def test_a_license_file_that_the_commit_does_not_have(unpinned: Desk) -> None:
    assert unpinned.metalworking("add", "--pin", link(unpinned)).exit_code == 0
    unpinned.page("first/one.md", f"# One\n\n<< excerpt acme/new@{unpinned.commits['acme/new'][:9]}:a.c >>\n")
    assert "warning" not in unpinned.metalworking("check").stdout.replace("not in the nav", "")
    path = unpinned.root / "sources.yml"
    path.write_text(path.read_text().replace("    license_file: LICENSE.md\n", ""))
    assert (
        f"acme/new@{unpinned.commits['acme/new'][:7]} has no LICENSE, to which captions link "
        "(write license_file: LICENSE.md)"
    ) in unpinned.metalworking("check").stdout


@pytest.mark.parametrize(
    "name", ["LICENSE\nx", "LICENSE" + " long" * 30, "LICENSE: 'x", "LICENSE \u00e9", "LICENSE\x7f"]
)
def test_no_name_of_a_license_ends_what_stands_behind_it(unpinned: Desk, name: str) -> None:
    """The file of a stranger's repository, and a title of ours in which a quotation would end."""
    path = unpinned.root / "sources.yml"
    own = "self: working-tree\n"
    title = "references:\n  - key: one\n    title: The engineers'\n    about: text\n"
    path.write_text(own + path.read_text().replace("references: []\n", title))
    before, _ = load_sources(path.read_text())
    unpinned.add_repo("acme/evil", {"a.c": "int a;\n", name: MIT})
    unpinned.pins.pop()
    done = unpinned.metalworking("add", "--pin", link(unpinned, "acme/evil"))
    after, problems = load_sources(path.read_text())
    assert problems == []
    assert (after.references, after.own, after.pins[:1]) == (before.references, before.own, before.pins)
    written = len(after.pins) == 2
    assert written == (done.exit_code == 0)
    if written:
        assert after.pins[1].license_file == name
    else:
        assert "cannot be added safely" in done.output or "may not stand in YAML" in done.output
