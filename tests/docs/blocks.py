"""The fenced blocks of a documentation page, and a small site in which they are tried."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.forked import python_m
from tests.support import PATIENCE, commit_files

_FENCE = re.compile(r"^(?P<indent>[ ]*)(?P<mark>`{3,})(?P<lang>\w+)(?P<rest>[^`\n]*)$")
_TITLE = re.compile(r'title="([^"]+)"')
RUN = {"metalworking": "mkdocs_metalworking", "mkdocs": "mkdocs", "python": None}
"""What a console block may run, as modules of this Python."""


@dataclass(frozen=True)
class Block:
    """A fence: its language, its title, its text, the line it begins on and what follows it on the page."""

    lang: str
    title: str
    text: str
    line: int
    after: str

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """The commands of a console block, each with the lines that are shown under it."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
        return found


def blocks(text: str) -> Iterator[Block]:
    """Yield the fences of a page in order; a fence within a longer one is its text."""
    lines = text.splitlines(keepends=True)
    number = 0
    while number < len(lines):
        match = _FENCE.match(lines[number].rstrip("\n"))
        number += 1
        if match is None:
            continue
        begun, inner = number, []
        while lines[number].strip() != match["mark"]:
            inner.append(lines[number].removeprefix(match["indent"]))
            number += 1
        number += 1
        title = _TITLE.search(match["rest"])
        yield Block(match["lang"], title[1] if title else "", "".join(inner), begun, "".join(lines[number:]))


@dataclass
class Workshop:
    """A folder in which a page's files are written and its commands run.

    Repositories stand in for the real ones under code/, so commits differ: *ids* maps the page's to theirs.
    """

    root: Path
    ids: dict[str, str] = field(default_factory=dict)

    def stand_in(self, repo: str, commit: str, files: Mapping[str, str | bytes]) -> None:
        """Put a repository in the place of *repo*, whose commit on the page is *commit*."""
        new = commit_files(self.root / "code" / repo, files)
        self.ids[commit] = new
        self.ids[commit[:7]] = new[:7]

    def translate(self, text: str) -> str:
        """Return *text* with the page's commits replaced by those of the stand-ins."""
        for old in sorted(self.ids, key=len, reverse=True):
            text = text.replace(old, self.ids[old])
        return text

    def write(self, block: Block) -> None:
        """Write the file that a titled block shows."""
        path = self.root / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.translate(block.text), encoding="utf-8")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run one command line of a console block; a pipe is not understood."""
        name, *arguments = shlex.split(self.translate(command), comments=True)
        assert name in RUN, f"{command}: say in the test how to run it"
        module = RUN[name]
        env = {"METALWORKING_STORE": str(self.root / "store")}
        if module:
            return python_m(module, *arguments, cwd=self.root, env=env, merged=True)
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1", **env},
            timeout=PATIENCE,
            check=False,
        )

    def check(self, command: str, shown: list[str]) -> None:
        """Run *command*; the lines *shown* must be in what it says, in order. A line ``…`` stands for any lines."""
        done = self.run(command)
        said = [line.rstrip() for line in done.stdout.splitlines() if line.strip()]
        at, loose = 0, False
        for line in map(self.translate, filter(None, (one.rstrip() for one in shown))):
            if line == "…":
                loose = True
                continue
            assert line in said[at:], f"$ {command}\nshown: {line}\nsaid:  " + "\n       ".join(said)
            found = said.index(line, at)
            assert loose or found == at, f"$ {command}\nnot shown: {said[at:found]}"
            at, loose = found + 1, False
        assert loose or at == len(said) or not shown, f"$ {command}\nnot shown: {said[at:]}"
