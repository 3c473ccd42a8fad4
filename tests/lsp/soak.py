"""Random edits of a page, with questions in between: ``python -m tests.lsp.soak 20000``.

The server must live, answer, and in the end say of the page what it said of it before.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types as lsp

from tests.lsp.conftest import Editor, make_site

WORDS = (
    *("<< excerpt ", " >>", "[@", "[=", "]", "acme/kernels@", ":kernels/add.metal", "#L1-", "ada-1843", "m1.bandwidth"),
    *(
        "---\n",
        "```\n",
        "> ",
        "- L9: ",
        "\n\n",
        "\r\n",
        "\t",
        "\U0001f600",
        "é",
        "\u2028",
        "\x00",
        "\ufeff",
        "|",
        "<p>",
    ),
    *("](two.md", "cuda:\n  term: ", "<!-- mapping-table -->", "\\", '"', "title=", "  ", "# ", "!!! note\n    "),
)


def soak(editor: Editor, name: str, count: int, seed: int) -> int:
    """Make *count* edits of the page *name*, which is open; returns how many questions were answered."""
    dice, whole = random.Random(seed), editor.texts[name]
    before = sorted(map(str, editor.told(name)))
    text, answered = whole, 0
    for number in range(count):
        text = edited(text, dice) if len(text) < 3 * len(whole) else whole
        editor.type(name, text)
        if number % 10 == 0:
            answered += asked(editor, name, dice)
    editor.type(name, whole)
    found = editor.wait(name, lambda found: sorted(map(str, found)) == before)
    assert len(found) == len(before)
    assert editor.messages == []
    return answered


def edited(text: str, dice: random.Random) -> str:
    at, end = sorted(dice.randint(0, len(text)) for _ in range(2))
    end = min(end, at + dice.choice((0, 0, 1, 3, 30)))
    return text[:at] + dice.choice(("", dice.choice(WORDS), dice.choice("ab[]<>@=:#\n"))) + text[end:]


def asked(editor: Editor, name: str, dice: random.Random) -> int:
    where = lsp.Position(dice.randint(0, editor.texts[name].count("\n") + 1), dice.randint(0, 60))
    editor.ask("text_document_completion", lsp.CompletionParams, name, where)
    editor.ask("text_document_hover", lsp.HoverParams, name, where)
    editor.ask("text_document_definition", lsp.DefinitionParams, name, where)
    editor.ask("text_document_prepare_rename", lsp.PrepareRenameParams, name, where)
    for problem in editor.told(name)[:1]:
        editor.actions(name, problem)
    return 4


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(make_site(Path(folder)).root).start()
        editor.open("one.md")
        editor.codes("one.md")
        start = time.monotonic()
        answered = soak(editor, "one.md", count, seed=int(start))
        print(f"{count} edits, {answered} questions, seed {int(start)}: {time.monotonic() - start:.0f} s")
        editor.stop()


if __name__ == "__main__":
    main()
