"""``check --changed-from`` on a site that quotes its own code as it is now."""

from __future__ import annotations

import re

from tests.own.conftest import Own


def test_what_did_not_change_is_not_told(own: Own) -> None:
    own.sources("self: working-tree\n")
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n\n<< excerpt self:src/stack.py#region=top >>\n")
    assert own.metalworking("accept").exit_code == 0
    own.commit()
    assert own.metalworking("check", "--changed-from", "HEAD").stdout.count("Nothing changed.") == 3


def accept_other_lines(own: Own) -> None:
    """Commit a page that quotes code of its own, then change and accept that."""
    own.sources("self: working-tree\n")
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n")
    assert own.metalworking("accept").exit_code == 0
    own.commit()
    own.replace("src/stack.py", "return Stack()", "return None")
    assert own.metalworking("accept").exit_code == 0


def test_accepted_lines_are_told(own: Own) -> None:
    accept_other_lines(own)
    text = own.metalworking("check", "--changed-from", "HEAD").stdout
    assert "other lines were accepted" in text
    assert "+    return None" in text


def test_accepted_lines_are_told_whatever_file_the_lock_says_they_were_accepted_in(own: Own) -> None:
    """Nobody proves that: a change could name a file that no machine has, and its new lines would not be shown."""
    accept_other_lines(own)
    lock = own.root / "sources.lock"
    lock.write_text(re.sub(r"^(region self )[0-9a-f]{40}", rf"\g<1>{'a' * 40}", lock.read_text(), flags=re.MULTILINE))
    text = own.metalworking("check", "--changed-from", "HEAD").stdout
    assert "a" * 40 in lock.read_text()
    assert "+    return None" in text
    assert "not on this machine" not in text
