"""Fences as pymdownx.superfences reads them: what we take for one and what it takes for one are the same lines."""

from __future__ import annotations

import random

import markdown
import pytest

from mkdocs_metalworking.quote.fences import fenced_lines


@pytest.mark.parametrize(
    ("text", "fenced"),
    [
        ("```\na\n```\nb", {0, 1, 2}),
        ("````\n```\na\n```\n````", {0, 1, 2, 3, 4}),
        ("~~~\n```\n~~~\n```", {0, 1, 2}),
        ("a\n``` c\nb", set()),
        ("    ```\n    a\n    ```", {0, 1, 2}),
        ("\t```\n\ta\n\t```", {0, 1, 2}),
        ("\t```\n    a\n    ```", {0, 1, 2}),
        ("  \t```\n    a\n    ```", {0, 1, 2}),
        ("    ```\n  a\n    ```", set()),
        ("  ```\n\n  a\n  ```", {0, 1, 2, 3}),
        ("> ```\n> a\n> ```\nb", {0, 1, 2}),
        ("> ```\n> > a\n> ```", {0, 1, 2}),
        ("> ```\n>\n> a\n> ```", {0, 1, 2, 3}),
        ("> ```\na\n> ```", set()),
        ("```\n> a\n```", {0, 1, 2}),
        ('``` c title="x"\na\n```', {0, 1, 2}),
        ("``` { .c #x }\na\n```", {0, 1, 2}),
        ("``` a `b`\na\n```", set()),
        ("```\na\n``` \n```", {0, 1, 2}),
        ("```\na\n ```\n```", {0, 1, 2, 3}),
    ],
)
def test_fences(text: str, fenced: set[int]) -> None:
    assert fenced_lines(text.split("\n")) == fenced


PIECES = [
    "```",
    "~~~",
    "````",
    "    ```",
    "> ```",
    "> > ```",
    "``` c",
    "a",
    "",
    "> a",
    "    a",
    "> > a",
    "\t```",
    "\ta",
    ">",
    "```x y=1",
]


def test_the_lines_are_those_of_superfences() -> None:
    """Every line has a word of its own; those that superfences put aside are those that we say are fenced."""
    md = markdown.Markdown(
        extensions=["pymdownx.superfences"],
        extension_configs={"pymdownx.superfences": {"disable_indented_code_blocks": True}},
    )
    chance = random.Random(7)
    for _ in range(1500):
        lines = [chance.choice(PIECES) for _ in range(chance.randint(1, 9))]
        marked = [f"{line}w{i}w" if line.rstrip().endswith("a") else line for i, line in enumerate(lines)]
        md.reset()
        left = list(marked)
        for name in ("normalize_whitespace", "fenced_code_block"):
            left = md.preprocessors[name].run(left)
        text = "\n".join(left)
        theirs = {i for i, line in enumerate(marked) if f"w{i}w" in line and f"w{i}w" not in text}
        ours = {i for i in fenced_lines(marked) if f"w{i}w" in marked[i]}
        assert ours == theirs, marked
