"""Rules on sentences and paragraphs: length, citations, dashes, questions, closing lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .page import CITATION, CODE, FIGURE, Kind, Piece

LONGEST = 40
"""Words in a sentence. What a reader holds at once; a list of names may need more, and then it is a list."""
CITED = 2
"""Citations in a sentence. The rest belong in a table, whose cells are not counted."""
DASHES = 2
"""Em dashes on a page."""
CLOSER = 7
"""Words up to which a paragraph's last sentence may be a mere flourish."""

_END = re.compile(rf"(?<=[.!?])(?P<cited>{CITATION}*)[\"')\]]*\s+(?=[A-Z0-9\"'({CODE}{FIGURE}])")
_WORD = re.compile(r"[^\W_][\w'’.,/×-]*")
_CONCRETE = re.compile(rf"[\d{CITATION}{CODE}{FIGURE}]|\b[A-Z]")
_AIRY = re.compile(
    r"^(?:It|That|This|They|These|Those|Both|None|Neither|Nothing|Nobody|So|And|But)\b|, (?:and|not|but)\b"
)
_RUNNING = {Kind.PARAGRAPH, Kind.ITEM, Kind.NOTE, Kind.FRONT, Kind.CAPTION}


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found, at a line of the file."""

    line: int
    rule: str
    message: str


def sentences(text: str) -> list[tuple[int, str]]:
    """Return the sentences of *text*, each with where it begins; a citation behind its full stop belongs to it."""
    found, start = [], 0
    for end in _END.finditer(text):
        found.append((start, text[start : end.end("cited")]))
        start = end.end()
    return [*found, (start, text[start:])]


def words(sentence: str) -> int:
    """Return how many words *sentence* has; code and a quantity are one each."""
    return len(_WORD.findall(sentence)) + sentence.count(CODE)


def hits(pieces: Iterable[Piece]) -> Iterator[Hit]:
    """Yield what the rules on shape find in the *pieces* of one page."""
    dashes = 0
    for piece in pieces:
        if piece.kind in _RUNNING:
            yield from _of_sentences(piece)
        if piece.kind is Kind.PARAGRAPH:
            yield from _closing(piece)
        for at in re.finditer("—", piece.text):
            dashes += 1
            if dashes > DASHES:
                yield Hit(_line(piece, at.start()), "house.dash", f"more than {DASHES} em dashes on a page")


def _of_sentences(piece: Piece) -> Iterator[Hit]:
    for start, sentence in sentences(piece.text):
        line, begins = _line(piece, start), _opening(sentence)
        if (count := words(sentence)) > LONGEST:
            yield Hit(line, "house.long", f'{count} words in one sentence, {LONGEST} at most: "{begins}"')
        if (count := sentence.count(CITATION)) > CITED:
            yield Hit(line, "house.cited", f'{count} citations in one sentence, {CITED} at most: "{begins}"')
        if sentence.rstrip(f"{CITATION}\"') ").endswith("?"):
            yield Hit(line, "house.question", f'answer it, and do not ask: "{begins}"')


def _closing(piece: Piece) -> Iterator[Hit]:
    """A last sentence that is short, points back or balances two halves, and names nothing, closes on its sound."""
    told = sentences(piece.text)
    start, last = told[-1]
    said = last.strip()
    if said.endswith(":"):
        return
    if len(told) > 1 and words(said) <= CLOSER and _AIRY.search(said) and not _CONCRETE.search(said[1:]):
        yield Hit(_line(piece, start), "house.closer", f'a closing line with nothing in it to hold on to: "{said}"')


def _line(piece: Piece, offset: int) -> int:
    return piece.line + (piece.text.count("\n", 0, offset) if piece.kind is not Kind.FRONT else 0)


def _opening(sentence: str) -> str:
    return " ".join(sentence.split()[:7])
