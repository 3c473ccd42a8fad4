"""The plugins of neighbours.yml: those that sites of this kind use, each with the least in which it does something."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import yaml

MORE = "<< excerpt {k}:src/more.metal#L1-2 >>\n- L2: A note on it."
"""Quoted by nothing but a neighbour's own text, so that lock must see that text."""


@dataclass(frozen=True)
class Neighbour:
    """A plugin beside ours. ``{more}`` in its texts stands for an excerpt that nothing else on the site quotes."""

    name: str
    package: str = ""
    """Its distribution; empty for one that comes with Material."""
    behaves: str = "As without it."
    """What its users should know, for docs/plugin/neighbours.md."""
    options: str = ""
    """Its options, as YAML in one line."""
    text: str = ""
    """What stands on the page part/one.md where its work shows."""
    files: dict[str, str] = field(default_factory=dict)
    config: str = ""
    """Further lines of the nav."""
    also: str = ""
    """Another plugin that it needs, a line of ``plugins:``."""
    git: bool = False
    """Whether the site lies in a repository of its own."""
    extensions: str = ""
    proof: dict[str, str] = field(default_factory=dict)
    """Pages of the site and text there that shows that the plugin was at work."""
    quotes: dict[str, int] = field(default_factory=dict)
    """Pages of the site that hold ``{more}``, and how often it stands there."""
    absent: dict[str, str] = field(default_factory=dict)
    """Files of the site and text that must not stand there."""
    changes: tuple[str, ...] = ()
    """What of our pages it changes by its own nature, and so is not compared."""
    orders: tuple[str, ...] = ("before", "after")
    refused: str = ""
    """What is said at start-up, for one that cannot work with us."""
    daily: bool = False
    """Whether every run of the tests tries it, and not only that of the night."""

    @property
    def locked(self) -> int:
        """How many files ``lock`` must find: that of the first site, and that of the text of the plugin."""
        return 1 + any("{more}" in text for text in (self.text, *self.files.values()))

    def filled(self, text: str) -> str:
        """Return *text* with the excerpt in the place of its mark, indented as that is."""
        lines = []
        for line in text.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(line.replace("{more}", MORE.replace("\n", f"\n{indent}")))
        return "\n".join(lines)


def neighbours() -> list[Neighbour]:
    """Return all of them, in the order of the file."""
    text = Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
    return [Neighbour(**{key: _plain(value) for key, value in row.items()}) for row in yaml.safe_load(text)]


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
