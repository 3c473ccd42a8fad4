"""Changed lines of one's own code are accepted from the editor, and what counts them on unsaved pages moves along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.conftest import Editor
from tests.own.conftest import STACK, Own
from tests.own.conftest import own as own  # a fixture

PAGE = "# Page\n\n<< excerpt self:src/stack.py#symbol=empty hl=5 >>\n\n- L5: Says what it returns.\n"


@pytest.fixture
def editor(own: Own) -> Iterator[Editor]:
    own.commit({"src/stack.py": STACK, "site/docs/index.md": PAGE})
    assert own.metalworking("lock").exit_code == 0
    made = Editor(own.root).start()
    yield made
    made.stop()


def test_changed_lines_are_accepted_and_notes_move_along(own: Own, editor: Editor) -> None:
    own.replace("src/stack.py", '"""A stack."""\n', '"""A stack."""\n\nimport sys\n')
    own.replace("src/stack.py", "    return Stack()\n", "    return Stack()  # empty\n")
    editor.open("index.md", PAGE.replace("Says what", "Says, unsaved, what"))
    problem = next(p for p in editor.wait("index.md", lambda found: bool(found)) if p.code == "changed")
    action = editor.actions("index.md", problem)["Accept the lines of src/stack.py as they are now"]
    assert action.command is not None
    editor.carry_out(action.command)
    editor.wait("index.md", lambda _: bool(editor.applied))
    text = editor.edited(editor.applied.pop())["index.md"]
    assert text == PAGE.replace("hl=5", "hl=7").replace("L5: Says what", "L7: Says, unsaved, what")
    editor.type("index.md", text)
    editor.codes("index.md")  # nothing is wrong any more
    Path(own.root, "docs", "index.md").write_text(text, encoding="utf-8")
    assert own.metalworking("check").exit_code == 0
