"""The working tree: what was accepted is shown, and what changed since is an error with what to type."""

from __future__ import annotations

import re

from tests.own.conftest import STACK, Own
from tests.support import git

CHANGED = "docs/index.md:3: self:src/stack.py#symbol=empty is not what was accepted (metalworking accept src/stack.py)"


def test_from_nothing_to_a_page(own: Own) -> None:
    told = "docs/index.md:3: self:src/stack.py#symbol=empty is not in sources.lock (run: metalworking lock)"
    assert own.problems() == [told]
    assert own.metalworking("lock").exit_code == 0
    assert own.problems() == []
    done = own.build("--strict")
    assert done.returncode == 0, done.stderr
    head = own.commit()
    assert own.build("--strict").returncode == 0
    link = f"https://github.com/acme/own/blob/{head}/src/stack.py#L4-L6"
    assert f'<a class="mw-file" href="{link}"' in own.html
    assert f'href="https://github.com/acme/own/blob/{head}/LICENSE">LICENSE</a>' in own.html


def test_code_that_moves_is_shown_where_it_stands_and_needs_nothing(own: Own) -> None:
    own.metalworking("lock")
    own.write({"src/stack.py": "import os\n\n" + STACK})
    assert own.problems() == []
    assert own.build("--strict").returncode == 0
    assert 'data-n="6"' in own.html
    assert "uncommitted" in own.html
    assert "github.com/acme/own/blob" not in own.html
    own.commit()
    own.build()
    assert "#L6-L8" in own.html


def test_lines_that_stand_in_the_commit_are_linked_though_the_file_has_other_changes(own: Own) -> None:
    own.metalworking("lock")
    own.write({"src/stack.py": STACK + "\n# more\n"})
    own.build()
    assert "#L4-L6" in own.html
    assert "uncommitted" not in own.html


def test_a_change_is_an_error_until_it_is_accepted(own: Own) -> None:
    own.metalworking("lock")
    own.replace("src/stack.py", "return Stack()", "return Stack([])")
    assert own.problems() == [CHANGED]
    done = own.build()
    assert done.returncode == 1
    assert CHANGED in done.stderr
    tried = own.metalworking("accept", "-n")
    assert tried.exit_code == 1
    assert own.problems() == [CHANGED]
    accepted = own.metalworking("accept")
    assert accepted.exit_code == 0
    assert (
        accepted.stdout
        == tried.stdout
        == (
            "self:src/stack.py#symbol=empty changed\n"
            "    @@ L4-6 -> L4-6 @@\n"
            "     def empty():\n"
            '         """Return a new one."""\n'
            "    -    return Stack()\n"
            "    +    return Stack([])\n"
        )
    )
    assert own.problems() == []
    assert own.metalworking("accept").stderr == "sources.lock: nothing to accept\n"


def test_lock_takes_no_change_by_itself(own: Own) -> None:
    own.metalworking("lock")
    own.replace("src/stack.py", "return Stack()", "return None")
    before = own.text("site/sources.lock")
    own.metalworking("lock")
    own.metalworking("lock", "--update")
    assert own.text("site/sources.lock") == before
    assert own.problems() == [CHANGED]


def test_what_was_accepted_before_it_was_committed_can_be_compared_with(own: Own) -> None:
    own.replace("src/stack.py", "return Stack()", "return Stack(1)")
    own.metalworking("lock")
    own.replace("src/stack.py", "return Stack(1)", "return Stack(2)")
    assert "-    return Stack(1)\n    +    return Stack(2)" in own.metalworking("accept").stdout


def test_only_the_files_that_are_named(own: Own) -> None:
    own.write({"src/other.py": "def f():\n    return 1\n"})
    own.commit()
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n\n<< excerpt self:src/other.py#symbol=f >>\n")
    own.metalworking("lock")
    own.replace("src/stack.py", "Stack()", "Stack(0)")
    own.replace("src/other.py", "1", "2")
    assert own.metalworking("accept", "src/other.py").exit_code == 0
    assert own.problems() == [CHANGED]
    refused = own.metalworking("accept", "src/none.py")
    assert refused.exit_code == 1
    assert refused.stdout == "no page quotes src/none.py of the working tree (name a quoted file)\n"


def test_notes_and_highlights_count_lines_and_move_with_them(own: Own) -> None:
    own.page("<< excerpt self:src/stack.py#symbol=empty hl=6 >>\n- L5: What it does.\n- L4-6: All of it.\n")
    own.metalworking("lock")
    assert own.problems() == []
    own.write({"src/stack.py": "import os\n" + STACK})
    (told,) = own.problems()
    assert "self:src/stack.py#symbol=empty moved from L4-6 to L5-7: hl= speaks of where it was" in told
    assert own.build().returncode == 1
    done = own.metalworking("accept")
    assert done.stdout == "self:src/stack.py#symbol=empty moved from L4-6 to L5-7\n"
    assert "hl=7 >>\n- L6: What it does.\n- L5-7: All of it.\n" in own.text("site/docs/index.md")
    assert own.problems() == []


def test_a_note_alone_is_told_too(own: Own) -> None:
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n- L5: What it does.\n")
    own.metalworking("lock")
    own.write({"src/stack.py": "import os\n" + STACK})
    (told,) = own.problems()
    assert told.startswith("docs/index.md:4: self:src/stack.py#symbol=empty moved from L4-6 to L5-7: note L5 speaks")


def test_a_note_on_a_line_that_changed_is_to_be_read_again(own: Own) -> None:
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n- L6: A new one.\n- L4: Its name.\n")
    own.metalworking("lock")
    own.write({"src/stack.py": "import os\n" + STACK.replace("return Stack()", "return None")})
    done = own.metalworking("accept")
    assert "docs/index.md:4: L6 speaks of lines that changed (read it again)" in done.stdout
    assert "- L5: Its name." in own.text("site/docs/index.md")


def test_a_page_keeps_its_line_ends_when_notes_move(own: Own) -> None:
    own.write({"site/docs/index.md": "# Page\r\n\r\n<< excerpt self:src/stack.py#symbol=empty >>\r\n- L5: What.\r\n"})
    own.metalworking("lock")
    own.write({"src/stack.py": "import os\n" + STACK})
    own.metalworking("accept")
    assert own.text("site/docs/index.md").endswith("empty >>\r\n- L6: What.\r\n")


def test_what_names_lines_and_what_does_not(own: Own) -> None:
    own.page(
        "<< excerpt self:src/stack.py >>\n\n"
        "<< excerpt self:src/stack.py#region=top >>\n\n"
        '<< excerpt self:src/stack.py first="def push" last="return x" >>\n\n'
        '<< excerpt self:src/stack.py#L4-5 first="def empty" >>\n\n'
        "<< excerpt self:src/stack.py#L4-5 >>\n\n"
        '<< excerpt self:src/stack.py first="def push" >>\n'
    )
    own.metalworking("lock")
    assert own.problems() == [
        "docs/index.md:11: L4-5 of the working tree are other lines tomorrow"
        " (name them: #symbol=NAME, #region=NAME, or first=… last=… without lines)",
        "docs/index.md:13: first= alone names no lines (write last= too)",
    ]
    shown = re.findall(r"^region \S+ \S+ \S+ (\S+) (\S+) src", own.text("site/sources.lock"), re.MULTILINE)
    assert sorted(shown) == [
        ("L1-17", "file"),
        ("L10-12", "guards=def%20push,return%20x"),
        ("L15-16", "region=top"),
        ("L4-5", "lines=L4-5"),
    ]


def test_a_wrong_name_is_told_with_the_right_one(own: Own) -> None:
    own.page(
        "<< excerpt self:src/stack.py#symbol=emty >>\n\n<< excerpt self:src/stak.py#symbol=empty >>\n\n"
        "<< excerpt self:src/stack.py#region=tp >>\n"
    )
    told = [
        "docs/index.md:3: src/stack.py has no symbol 'emty' (did you mean empty?)",
        "docs/index.md:5: self:src/stak.py: no such file in the working tree (did you mean src/stack.py?)",
        "docs/index.md:7: src/stack.py has no region 'tp' (did you mean top?)",
    ]
    assert own.problems() == told
    done = own.metalworking("lock")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == told


def test_list_and_a_site_without_an_address(own: Own) -> None:
    own.metalworking("lock")
    own.replace("site/mkdocs.yml", "repo_url: https://github.com/acme/own\n", "")
    assert own.metalworking("list").stdout == "docs/index.md: self:src/stack.py#L4-6 (LICENSE)\n"
    assert own.build("--strict").returncode == 0
    assert re.search(r'<span class="mw-file"[^>]*>stack.py:4', own.html)
    head = git(own.top, "rev-parse", "HEAD")
    assert f'<span class="mw-commit" title="src/stack.py at {head}">{head[:7]}</span>' in own.html
    assert "uncommitted" not in own.html, "it is committed, though nobody told where readers find it"
    own.sources("self: {pin: working-tree, repo: codeberg.org/acme/own, license: GPL-3.0-only}\n")
    assert own.build("--strict").returncode == 0
    assert "https://codeberg.org/acme/own/src/commit/" in own.html
    assert ">GPL-3.0-only</a>" in own.html


def test_without_a_commit_everything_is_uncommitted(own: Own) -> None:
    git(own.top, "update-ref", "-d", "HEAD")
    own.metalworking("lock")
    assert own.build("--strict").returncode == 0
    assert "uncommitted" in own.html


def test_add_names_lines_that_somebody_counted(own: Own) -> None:
    done = own.metalworking("add", "src/stack.py#L4-6")
    assert done.stdout == "<< excerpt self:src/stack.py#symbol=empty >>\n"
    assert own.problems() == []
    done = own.metalworking("add", "src/stack.py:10-11")
    assert done.stdout == ('<< excerpt self:src/stack.py first="def push(self, x):" last="self.items.append(x)" >>\n')
    assert own.metalworking("add", "src/stack.py#region=top").stdout == "<< excerpt self:src/stack.py#region=top >>\n"
    refused = own.metalworking("add", "src/stack.py#L3")
    assert refused.exit_code == 1
    assert refused.stdout.startswith("L3 of src/stack.py cannot be told by a symbol or by their words")


def test_add_with_a_pin_says_that_the_working_tree_is_quoted(own: Own) -> None:
    done = own.metalworking("add", "--pin", "src/stack.py#symbol=empty")
    assert done.exit_code == 0
    assert "self is the working tree (for a pin write self: {pin: COMMIT}, or take the entry out" in done.stderr
    assert own.text("site/sources.yml") == "self: working-tree\n"


def test_add_tells_what_to_paste(own: Own) -> None:
    own.sources("repositories: []\n")
    done = own.metalworking("add", "src/stack.py#L4-6")
    assert done.exit_code == 1
    assert "self: working-tree" in done.stdout.splitlines()
    done = own.metalworking("add", "--pin", "src/stack.py#L4-6")
    assert done.exit_code == 0, done.output
    assert done.stdout == "<< excerpt self:src/stack.py#L4-6 >>\n"


def test_a_citation_of_one_s_own_code_says_what_to_write(own: Own) -> None:
    own.replace("site/mkdocs.yml", "{store: ../store}", "{store: ../store, citations: true}")
    cited = ("self:src/stack.py#L4-5, M1", "self:LICENSE", "self@0123456:src/stack.py")
    own.page("".join(f"Said [@{one}].\n\n" for one in cited))
    told = "write << excerpt self:{}#symbol=NAME >> on a line of its own, or link to the file"
    assert own.problems() == [
        f"docs/index.md:{line}: lines of self are quoted, not cited: [@{cited}] ({told.format(path)})"
        for line, cited, path in (
            (3, "self:src/stack.py#L4-5", "src/stack.py"),
            (5, "self:LICENSE", "LICENSE"),
            (7, "self@0123456:src/stack.py", "src/stack.py"),
        )
    ]
