"""Draws claims of the book at random, for a reading of each at its source.

``python tests/book/draw_claims.py SEED`` prints for every section as many claims as ``DRAWN``
says, as page, line, key and text, and as many again in reserve, for those whose source cannot be
opened.  A claim whose key stands in ``claims.md`` was read before and is not drawn again; one that
was mended since has another text, so another key.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ = Path(__file__).with_name("claims.md")
DRAWN = {
    "machine": 22,
    "metal": 20,
    "mlx": 20,
    "techniques": 22,
    "kernels": 22,
    "war-stories and frame": 14,
}
FRAME = ("two-machines.md", "hands-on.md")

_MASKED = re.compile(r"`[^`]*`|\[@[^\]]*\]|\]\([^)]*\)|<[^>]*>")
_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z\[`*0-9(])")
_NUMBER = re.compile(r"(?<![A-Za-z_\d])\d")
_COMPARED = re.compile(
    r"\b(?:than|twice|thrice|faster|slower|fewer|fewest|least|larger|smaller|largest|smallest|"
    r"higher|highest|lower|lowest|cheaper|equal|as (?:many|much) as|a (?:half|third|quarter))\b"
)
_ITEM = re.compile(r"^(?:[-*]|\d+\.) ")
_RULE = re.compile(r"\|[-:| ]+\|$")
_NOTE = re.compile(r"- L\d+(?:-\d+)?: ")
_KEY = re.compile(r"^(?:  )?(\w+): ?(?:[>|]-?)?")


@dataclass(frozen=True)
class Claim:
    page: str
    line: int
    text: str

    @property
    def key(self) -> str:
        """Eight hexadecimal digits of the page and the text, white space apart."""
        plain = self.page + " " + " ".join(self.text.split())
        return hashlib.sha256(plain.encode()).hexdigest()[:8]


def pages(section: str) -> list[Path]:
    """The pages of a section, indexes left out: they repeat the summaries of the others."""
    folder = ROOT / "docs" / section.split()[0]
    found = [path for path in sorted(folder.glob("*.md")) if path.name != "index.md"]
    return found + ([ROOT / "docs" / name for name in FRAME] if "frame" in section else [])


def claims(page: Path) -> Iterator[Claim]:
    """Sentences, table rows and line notes that carry a number, a citation or a comparison."""
    name = page.relative_to(ROOT / "docs").as_posix()
    for line, text in blocks(page.read_text(encoding="utf-8").split("\n")):
        whole = text.startswith("|") or _NOTE.match(text)
        for start, sentence in [(0, text)] if whole else sentences(text):
            if carries(_NOTE.sub("", sentence)):
                yield Claim(name, line + text[:start].count("\n"), sentence.strip())


def blocks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The prose of a page in paragraphs, items and rows, each with its first line's number."""
    fenced, front, held, first = False, False, list[str](), 0
    for number, raw in enumerate([*lines, ""], 1):
        if number == 1 and raw == "---":
            front = True
            continue
        if front and raw == "---":
            front = False
            raw = ""
        line = raw.strip()
        if line.startswith("```"):
            fenced = not fenced
            line = ""
        apart = not line or _ITEM.match(line) or re.match(r"\||#|<<|<|--8<--", line)
        if (apart or (front and _KEY.match(raw))) and held:
            yield first, "\n".join(held)
            held = []
        if front:
            line = _KEY.sub("", raw).strip().strip('"')
        silent = fenced or not line or re.match(r"#|<<|--8<--|[\[\]]", line) or _RULE.match(line)
        tagged = line.startswith("<") and not line.startswith("<figcaption>")
        if (silent and not line.startswith("[@")) or tagged:
            continue
        first = first if held else number
        line = line if _NOTE.match(line) else _ITEM.sub("", line, count=1)
        held.append(line)
        if line.startswith("|"):
            if not _RULE.match("".join(lines[number : number + 1]).strip()):
                yield first, line
            held = []


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph with their offsets; code, links and citations stay whole."""
    masked = _MASKED.sub(lambda found: "x" * len(found[0]), text)
    start = 0
    for end in _END.finditer(masked):
        yield start, text[start : end.start()]
        start = end.end()
    yield start, text[start:]


def carries(sentence: str) -> bool:
    """Whether a sentence says something that a source or a sum can contradict."""
    said = re.sub(r"\]\([^)]*\)|Metal \d(?:\.\d)?", "", sentence)
    return bool("[@" in said or _NUMBER.search(said) or _COMPARED.search(said))


def main(seed: str) -> None:
    read = set(re.findall(r"`([0-9a-f]{8})`", READ.read_text("utf-8") if READ.exists() else ""))
    for section, count in DRAWN.items():
        pool = [claim for page in pages(section) for claim in claims(page)]
        fresh = [claim for claim in pool if claim.key not in read]
        drawn = random.Random(f"{seed} {section}").sample(fresh, min(2 * count, len(fresh)))
        print(f"\n## {section}: {count} of {len(fresh)}, {len(pool) - len(fresh)} read before")
        for place, claim in enumerate(drawn, 1):
            mark = f"{place}" if place <= count else f"reserve {place - count}"
            print(f"{mark}. {claim.page}:{claim.line} `{claim.key}` {' '.join(claim.text.split())}")


if __name__ == "__main__":
    main(sys.argv[1])
