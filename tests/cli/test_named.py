"""Lines of a pinned repository that are named: found at lock time, checked at every build, moved by bump."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.conftest import Desk

OLD = "int before;\nint add(int a) {\n  return a;\n}\n// region r\nint marked;\n// endregion\n"
NAMED = "# Page\n\n<< excerpt {k}:a.c#symbol=add hl=3 >>\n- L2: Its name.\n\n<< excerpt {k}:a.c#region=r >>\n"


def prepare(desk: Desk) -> None:
    desk.add_repo("acme/kernels", {"a.c": OLD})
    desk.write([])
    desk.page("index.md", NAMED)


def test_lock_finds_them_and_builds_check_them(desk: Desk) -> None:
    prepare(desk)
    done = desk.metalworking("lock")
    assert done.exit_code == 0, done.output
    assert "1 newly bound; 2 named regions, 2 new" in done.stderr
    lines = [line for line in desk.text("sources.lock").splitlines() if line.startswith("region ")]
    assert [line.split()[4:] for line in lines] == [["L2-4", "symbol=add", "a.c"], ["L6", "region=r", "a.c"]] or [
        line.split()[4:] for line in lines
    ] == [["L6", "region=r", "a.c"], ["L2-4", "symbol=add", "a.c"]]
    assert desk.metalworking("check").exit_code == 0
    assert desk.build("--strict").returncode == 0
    assert "a.c:2&#8211;4</a>" in desk.html("index.html")
    before = desk.text("sources.lock")
    desk.metalworking("lock")
    assert desk.text("sources.lock") == before


def test_a_lock_that_tells_other_lines(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    path = desk.root / "sources.lock"
    path.write_text(desk.text("sources.lock").replace(" L2-4 symbol", " L1-3 symbol"), encoding="utf-8")
    told = "a.c#symbol=add stands on L2-4, and sources.lock says L1-3 (run: metalworking lock --update)"
    assert told in desk.metalworking("check").stdout
    assert desk.build().returncode == 1
    assert desk.metalworking("lock", "--update").exit_code == 0
    assert desk.metalworking("check").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (" L2-4 symbol", " L1-3 symbol", "stands on L2-4, not on L1-3"),
        ("symbol=add", "symbol=sub", "a.c has no symbol 'sub'"),
        (" sha256:{text} L2-4", " sha256:{zero} L2-4", "its lines have another hash"),
        (
            "region acme/kernels@{commit} {blob} sha256:{text}",
            "region acme/kernels@{commit} {nil} sha256:{text}",
            "hash",
        ),
        (
            "region acme/kernels@{commit} {blob} sha256:{text}",
            "region acme/other@{commit} {blob} sha256:{text}",
            "no line",
        ),
    ],
)
def test_a_line_of_a_name_that_was_edited_does_not_verify(desk: Desk, old: str, new: str, told: str) -> None:
    """Also where neither the store nor a clone has the bytes, as in the workflow that looks at a pull request."""
    prepare(desk)
    desk.metalworking("lock")
    desk.home()
    for name in ("code", "store"):
        shutil.rmtree(desk.root / name)
    path = desk.root / "sources.lock"
    words = next(line for line in path.read_text().splitlines() if " symbol=add " in line).split()
    names = {"commit": desk.commits["acme/kernels"], "blob": words[2], "text": words[3].removeprefix("sha256:")}
    names |= {"zero": "0" * 64, "nil": "0" * 40}
    whole = desk.metalworking("lock", "--verify")
    assert whole.exit_code == 0, whole.output
    assert "1 proved by git, 0 not proved, 0 wrong; 2 named regions, 2 found, 0 wrong" in whole.stderr
    sound = path.read_text()
    assert old.format(**names) in sound
    path.write_text(sound.replace(old.format(**names), new.format(**names)))
    done = desk.metalworking("lock", "--verify")
    assert done.exit_code == 1, done.output
    assert told in done.stdout


@pytest.mark.parametrize("which", [2, 3])
def test_one_digit_of_a_name_s_line_is_told_where_its_bytes_are(desk: Desk, which: int) -> None:
    """Of the blob or of the lines: by whoever has the bytes, and not by lock --verify alone."""
    prepare(desk)
    desk.metalworking("lock")
    path = desk.root / "sources.lock"
    line = next(line for line in path.read_text().splitlines() if " symbol=add " in line)
    words = line.split()
    words[which] = words[which][:-1] + ("0" if words[which][-1] != "0" else "1")
    path.write_text(path.read_text().replace(line, " ".join(words)))
    done = desk.metalworking("check")
    assert done.exit_code == 1
    assert "a.c#symbol=add: sources.lock has another hash of its lines or file" in done.stdout
    assert desk.build().returncode == 1


def test_a_name_whose_file_is_not_proved_is_not(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    desk.config("{store: store,", "{store: empty, offline: true,")
    (desk.root / "code").rename(desk.root / "away")
    done = desk.metalworking("lock", "--verify")
    assert done.exit_code == 2
    assert "a.c#symbol=add: not proved: its file is not" in done.stdout


def test_without_the_bytes_the_card_has_the_lines(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    desk.config("{store: store,", "{store: empty, offline: true,")
    (desk.root / "code").rename(desk.root / "away")
    assert desk.build().returncode == 0
    html = desk.html("index.html")
    assert "mw-card" in html
    assert "a.c#L2-L4" in html


def test_unused_names_leave_the_lock(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    desk.page("index.md", "# Page\n\n<< excerpt {k}:a.c#symbol=add >>\n")
    desk.metalworking("lock")
    assert "region=r" not in desk.text("sources.lock")


def test_bump_moves_what_only_moved(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    new = desk.commit({"a.c": "// new\n" + OLD})
    done = desk.metalworking("bump", "acme/kernels")
    assert done.exit_code == 0, done.output
    assert f"acme/kernels@{new[:7]}:a.c#symbol=add hl=4 >>\n- L3: Its name." in desk.text("docs/index.md")
    lock = desk.text("sources.lock")
    assert " L3-5 symbol=add a.c" in lock
    assert " L2-4 symbol=add a.c" not in lock
    assert desk.metalworking("check").exit_code == 0


def test_bump_stops_at_what_changed_or_is_gone(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    desk.commit({"a.c": OLD.replace("return a", "return -a").replace("// region r\n", "")})
    done = desk.refused("bump", "acme/kernels")
    assert "docs/index.md:3: changed a.c L2-4" in done.stdout


def test_a_symbol_that_is_there_twice_at_the_new_commit(desk: Desk) -> None:
    prepare(desk)
    desk.metalworking("lock")
    desk.commit({"a.c": OLD + "int add(float a) {\n  return 0;\n}\n"})
    done = desk.refused("bump", "acme/kernels")
    assert "a.c has 2 symbols 'add'" in done.output


def test_what_a_change_does_is_told_in_words(desk: Desk) -> None:
    from tests.support import git

    prepare(desk)
    desk.metalworking("lock")
    git(desk.root, "init", "-q")
    (desk.root / ".gitignore").write_text("code/\nstore/\nsite/\n", encoding="utf-8")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "One")
    desk.page("index.md", "# Page\n\n<< excerpt {k}:a.c#region=r >>\n")
    done = desk.metalworking("check", "--changed-from", "HEAD")
    assert "a.c#symbol=add" in done.stdout
    assert "-  return a;" in done.stdout
