"""Pages made at random from what is ours, typos of it, and the containers of Markdown; and the account of each.

Every piece carries a word of its own, so that a page's HTML and what was told of it can be held against what was
written: a piece is shown, or stands where text is literal, or is told with its line. Nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

REPO = "acme/kernels"
FILE = "wide.c"
COUNT = 120


@dataclass
class Page:
    """A page as text, and the number of each directive, note and citation in it by what it says."""

    text: str
    pieces: list[str] = field(default_factory=list)


class Maker:
    """Makes one page from one seed. ``sha`` is the pinned commit, as many digits of it as are written."""

    def __init__(self, seed: int, sha: str) -> None:
        self._random = random.Random(seed)
        self._sha = sha
        self._next = 0
        self.pieces: list[str] = []

    def page(self) -> Page:
        """Return a page of some blocks, with one kind of line end."""
        blocks = [self._block(0) for _ in range(self._random.randint(1, 6))]
        text = self._random.choice(["\n\n", "\n\n", "\n\n", "\n"]).join("\n".join(block) for block in blocks) + "\n"
        if self._random.random() < 0.15:
            text = f"---\nsummary: A page.\n---\n\n{text}"
        if self._random.random() < 0.1:
            text = text.replace("\n", "\r\n")
        return Page(text, self.pieces)

    def _line(self) -> int:
        """Return a line of the file that no other piece of the page names, which makes the piece known by it."""
        self._next += 1
        return (self._next - 1) % (COUNT - 2) + 1

    def _block(self, depth: int) -> list[str]:
        made: list[Callable[[int], list[str]]] = [
            self._directive, self._directive, self._noted, self._noted,
            self._cited, self._cited, self._typo, self._prose,
        ]  # fmt: skip
        if depth < 3:
            made += [
                self._list, self._numbered, self._quote, self._admonition, self._details, self._tab, self._definition,
                self._footnote, self._table, self._raw, self._live_raw, self._fence, self._comment, self._indented,
            ]  # fmt: skip
        return self._random.choice(made)(depth)

    def _directive(self, depth: int) -> list[str]:
        first = self._line()
        self.pieces.append(f"excerpt {first}")
        extra = self._random.choice(
            ["", "", f" hl={first}", f' title="T {first} [@bare]"', " collapse", " dedent=none"]
        )
        return [f"<< excerpt {REPO}@{self._sha}:{FILE}#L{first}-{first + 1}{extra} >>"]

    def _noted(self, depth: int) -> list[str]:
        lines = self._directive(depth)
        first = int(self.pieces[-1].split()[1])
        if self._random.random() < 0.3:
            lines.append("")
        bullet = self._random.choice("-*+")
        label = self._random.choice(
            [
                f"L{first}",
                f"L{first}-{first + 1}",
                f"L{first}, L{first + 1}",
                f"L{first}\u2013{first + 1}",
                f"**L{first}**",
            ]
        )
        lines.append(f"{bullet} {label}: Note {first} of it.")
        self.pieces.append(f"note {first}")
        if self._random.random() < 0.3:
            lines.append(
                self._random.choice(["  Its second line.", f"{bullet} and no label", f"{bullet} L999: Outside."])
            )
        return lines

    def _cited(self, depth: int) -> list[str]:
        one = self._line()
        self.pieces.append(f"citation {one}")
        text = f"[@{REPO}:{FILE}#L{one}, q{one}]"
        if self._random.random() < 0.1:
            text = f"[@{REPO}:{FILE}#L{one},\nq{one}]"
        around = self._random.choice(
            ["Said {}.", "{}", "*Said {}*", "Code `x` and {} and `y`.", "`{}` is code.", "## On {}"]
        )
        return around.format(text).split("\n")

    def _typo(self, depth: int) -> list[str]:
        one = self._line()
        self.pieces.append(f"typo {one}")
        target = f"{REPO}@{self._sha}:{FILE}#L{one}"
        return [
            self._random.choice(
                [
                    f"<< exerpt {target} >>",
                    f"<< Excerpt {target} >>",
                    f"<<\u00a0excerpt {target} >>",
                    f"< excerpt {target} >>",
                    f"<excerpt {target}>",
                    f"<< excerpt {target}",
                    f"in a line << excerpt {target} >> there",
                    f"<< excerpt {REPO}@main:{FILE}#L{one} >>",
                    f"<< excerpt {target} titel=x >>",
                    f"claim [@{REPO}:nowhere.c#L{one}].",
                    f"claim [@ key{one}].",
                    f"claim [@{REPO}:{FILE}#L{one}",
                ]
            )
        ]

    def _prose(self, depth: int) -> list[str]:
        return self._random.choice(
            [
                ["Text."],
                ["# Title"],
                ["- one", "- two"],
                ["x << 1 and `y << 2`"],
                ["[@user](https://e.org/) is a link."],
                ["***"],
            ]
        )

    def _inner(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, 2)):
            lines += ([""] if lines else []) + self._block(depth + 1)
        return lines

    def _list(self, depth: int) -> list[str]:
        return _hung(self._random.choice(["-   ", "*   "]), self._inner(depth))

    def _numbered(self, depth: int) -> list[str]:
        return _hung("1.  ", self._inner(depth))

    def _quote(self, depth: int) -> list[str]:
        return [f"> {line}".rstrip() for line in self._inner(depth)]

    def _admonition(self, depth: int) -> list[str]:
        return ['!!! note "Title"', "", *_in(self._inner(depth))]

    def _details(self, depth: int) -> list[str]:
        return ["??? note", "", *_in(self._inner(depth))]

    def _tab(self, depth: int) -> list[str]:
        return ['=== "Tab"', "", *_in(self._inner(depth))]

    def _definition(self, depth: int) -> list[str]:
        return ["Term", "", *_hung(":   ", self._inner(depth))]

    def _footnote(self, depth: int) -> list[str]:
        name = f"f{self._line()}"
        inner = self._inner(depth)
        return [f"See.[^{name}]", "", *_hung(f"[^{name}]: ", inner, 4)]

    def _table(self, depth: int) -> list[str]:
        cell = self._random.choice([self._cited, self._typo, self._directive])(depth)
        return ["| a | b |", "|---|---|", f"| x | {' '.join(cell)} |"]

    def _raw(self, depth: int) -> list[str]:
        tag = self._random.choice(["div", "details", "pre", "section", "script", "table"])
        return [f"<{tag}>", *self._inner(3), f"</{tag}>"]

    def _live_raw(self, depth: int) -> list[str]:
        return ['<div markdown="1">', "", *self._inner(depth), "", "</div>"]

    def _fence(self, depth: int) -> list[str]:
        mark = self._random.choice(["```", "~~~", "````", "``` metal", '``` c title="x"', "```c hl_lines=1"])
        end = mark.split()[0].rstrip("c") if self._random.random() < 0.9 else "never"
        return [mark, *self._inner(3), end]

    def _comment(self, depth: int) -> list[str]:
        return ["<!--", *self._inner(3), "-->"]

    def _indented(self, depth: int) -> list[str]:
        return ["Text.", "", *_in(self._inner(3))]


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}".rstrip() for line in lines]


def _hung(mark: str, lines: list[str], width: int = 0) -> list[str]:
    blank = " " * (width or len(mark))
    return [f"{mark}{lines[0]}", *(f"{blank}{line}".rstrip() for line in lines[1:])]


def pages(count: int, sha: str, first: int = 0) -> Iterator[tuple[int, Page]]:
    """Yield *count* pages with their seeds."""
    for seed in range(first, first + count):
        yield seed, Maker(seed, sha).page()
