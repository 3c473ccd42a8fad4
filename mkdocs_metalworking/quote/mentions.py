r"""One scan of a page's Markdown for everything in it that is ours, or looks as if it was meant to be.

A mention has exact spans: where it stands, and where its parts do. What the scan cannot know is whether Markdown will
take a mention for what it is: only Markdown knows what is a list, a table cell or indented code. So the scan leaves out
no more than fences, links and what a backslash escapes; the ``markdown`` room marks each mention before the page is
converted, meets the marks again in the result, and accounts for every one: shown, literal, or reported. Whoever else
asks what a page holds (``bump``, ``check``, ``lock``) reads that account.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from .citations import CITATION, Citation, read_citation
from .diagnostics import MetalworkingError
from .directive import Directive, Span, Spans, read_directive
from .fences import fenced_lines
from .lines import Ranges
from .notes import NOTE, read_note
from .quantity_mentions import LINKED_QUANTITY, QUANTITY, QuantityMention, read_quantity_mention
from .typos import GAP, typo_on


class Kind(Enum):
    """What a mention is."""

    DIRECTIVE = "directive"
    NOTE = "note"
    ITEM = "item"
    """An item of the list below a directive that is no note; an error when another item of the list is one."""
    CITATION = "citation"
    QUANTITY = "quantity"
    ODD = "odd"
    """Not ours as it stands, and nothing else either: a typo of ours, or ours in the wrong place."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Something of ours in a text. ``spans`` are of the whole text, as ``start`` and ``end`` are.

    ``what`` is a Directive, a Citation, a QuantityMention, or the Ranges of a note; None when ``problem`` says why it
    cannot be read.
    """

    kind: Kind
    start: int
    end: int
    line: int
    raw: str
    what: Directive | Citation | Ranges | QuantityMention | None = None
    problem: MetalworkingError | None = None
    spans: Spans = field(default_factory=dict)
    follows: int | None = None
    """Of a note: the start of the directive that it follows directly, blank lines aside."""


@dataclass(frozen=True, slots=True)
class Scan:
    """The mentions of a text in its order: those outside of fences, and those in them."""

    mentions: tuple[Mention, ...] = ()
    fenced: tuple[Mention, ...] = ()


def without_citations(found: Scan) -> Scan:
    """Return *found* without citations and what is like them, for a site where ``[@`` is somebody else's."""

    def kept(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
        return tuple(mention for mention in mentions if not mention.raw.startswith("[@"))

    return Scan(kept(found.mentions), kept(found.fenced))


_ANY = re.compile(rf"<{GAP}*<|\[[@=]|excerpt", re.IGNORECASE)
_PREFIX = r"[ \t>]*(?:(?:[-*+]|[0-9]+[.)]|:|\[\^[^\]\n]+\]:)[ \t]+)*"
_LINE = re.compile(rf"{_PREFIX}(?P<text><<[ \t]*excerpt(?:[ \t>].*)?)$")
_TOLD_A_LINE = 20
"""How many openings of a citation that nothing closes are told on one line; a page of them is told by the first."""
_BLANK = re.compile(r"\n[ \t>]*\n")
_DEFINITION = re.compile(r"^[ >]*\[(@[^\]\n]+)\]:[ \t]", re.MULTILINE)
_BRACKETS = re.compile(r"\[@[^\s:\"]+:[^\s\"\[]*\[")
_IN_MARKS = 'put a path with brackets in quotation marks: [@owner/name:"path"#L1-9]'
_CONTINUED = re.compile(r"\n[ \t>]*")
_ITEM = re.compile(r"[ \t>]*[-*+][ \t]+(?=[\w*_`\"'(])")


def scan(text: str, *, quantities: bool = False, links: bool = True) -> Scan:
    """Return the mentions of *text*, a page below its front matter, with LF as the only line end.

    ``[=key]`` is one on a site that has *quantities*, and text on another. Without *links*, in text of which Markdown
    has made the links already, what looks like one is none.
    """
    if not _ANY.search(text):
        return Scan()
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    fenced = fenced_lines(lines)
    found = [*_by_line(lines, starts, fenced), *_citations(text, starts, links)]
    if quantities:
        found.extend(_quantities(text, starts, links))
    found.sort(key=lambda mention: mention.start)
    live, inside = [], []
    end = 0
    for mention in found:
        if mention.line - 1 in fenced:
            inside.append(mention)
        elif mention.start >= end:  # a citation in a directive's title is the title's text
            live.append(mention)
            end = mention.end
    return Scan(tuple(live), tuple(inside))


def _by_line(lines: list[str], starts: list[int], fenced: set[int]) -> Iterator[Mention]:
    """Yield directives, their notes, and what is like a directive."""
    seen = False
    follows: Mention | None = None
    for index, line in enumerate(lines):
        if not line.strip("> \t"):
            continue
        mention = None
        if "<" in line or "xcerpt" in line.lower():
            mention = _directive(line, starts[index], index + 1)
        if mention is not None:
            yield mention
        if mention is not None and mention.kind is Kind.DIRECTIVE:
            seen = seen or index not in fenced
            follows = mention if index not in fenced else None
            continue
        note = NOTE.match(line) if seen else None
        item = note or _ITEM.match(line)
        if follows is not None:
            above = lines[follows.line - 1][: follows.start - starts[follows.line - 1]]
            follows = follows if _below(line, above, item=item is not None) else None
        after = follows.start if follows is not None else None
        if note is not None:
            yield _note(note, starts[index], index + 1, after)
        elif follows is not None and item is not None and mention is None:
            yield _item(line, item.end(), starts[index], index + 1, after)


def _below(line: str, above: str, *, item: bool) -> bool:
    """Tell whether *line* may belong to the notes of a directive that stands behind *above* on its line."""
    prefix = line[: len(line) - len(line.lstrip("> \t"))]
    if prefix.count(">") != above.count(">"):
        return False
    deeper = len(prefix.expandtabs(4)) - len(above.expandtabs(4))
    return deeper >= 0 if item else deeper >= 2


def _directive(line: str, start: int, number: int) -> Mention | None:
    match = _LINE.match(line)
    if match is None:
        typo = typo_on(line)
        if typo is None:
            return None
        return Mention(Kind.ODD, start + typo.start, start + typo.end, number, typo.raw, problem=typo.problem)
    raw = match["text"].rstrip()
    begin = start + match.start("text")
    end = begin + len(raw)
    try:
        directive, spans = read_directive(raw)
    except MetalworkingError as problem:
        return Mention(Kind.DIRECTIVE, begin, end, number, raw, problem=problem)
    return Mention(Kind.DIRECTIVE, begin, end, number, raw, directive, spans=_moved(spans, begin))


def _note(match: re.Match[str], start: int, number: int, follows: int | None) -> Mention:
    begin, end = start + match.start("odd"), start + match.end("label")
    raw = match.string[match.start("odd") :]
    try:
        ranges = read_note(match)
    except MetalworkingError as problem:
        return Mention(Kind.NOTE, begin, end, number, raw, problem=problem, follows=follows)
    spans = {"ranges": (start + match.start("label"), end)}
    return Mention(Kind.NOTE, begin, end, number, raw, ranges, spans=spans, follows=follows)


def _item(line: str, at: int, start: int, number: int, follows: int | None) -> Mention:
    raw = line[at:]
    told = MetalworkingError(
        "note",
        f"a line note names no line: {raw[:50]!r}",
        "begin every item with L<n>: or L<a>-<b>:, or add a paragraph before the list",
    )
    return Mention(Kind.ITEM, start + at, start + at, number, raw, problem=told, follows=follows)


def _citations(text: str, starts: list[int], links: bool) -> Iterator[Mention]:
    """Yield citations and what is like one; ``[@x](…)``, ``[@x][…]`` and ``[@x]:`` are links and their definitions."""
    defined = {match[1] for match in _DEFINITION.finditer(text)} if "]:" in text else set()
    at, told, line = text.find("[@"), 0, 0
    while at >= 0:
        match = CITATION.match(text, at)
        if match is not None and _BLANK.search(match[0]):
            match = None
        end = match.end() if match is not None else at + 2
        if not _elsewhere(text, at, match, defined, links):
            number = bisect_right(starts, at)
            told = told + (match is None) if number == line else int(match is None)
            line = number
            if match is not None or told <= _TOLD_A_LINE:
                yield _citation(text, at, match, number)
        at = text.find("[@", end)


def _quantities(text: str, starts: list[int], links: bool) -> Iterator[Mention]:
    for match in (QUANTITY if links else LINKED_QUANTITY).finditer(text):
        at, raw = match.start(), match[0]
        if text[at - 1 : at] == "\\":
            continue
        what, problem, spans = None, None, dict[str, Span]()
        try:
            what = read_quantity_mention(match["inner"])
            spans["key"] = (match.start("inner"), match.start("inner") + len(what.key))
        except MetalworkingError as error:
            problem = error
        yield Mention(Kind.QUANTITY, at, match.end(), bisect_right(starts, at), raw, what, problem, spans)


def _elsewhere(text: str, at: int, match: re.Match[str] | None, defined: set[str], links: bool) -> bool:
    if text[at - 1 : at] in ("\\", "!"):
        return True
    if match is None or not links:
        return False
    after = text[match.end() : match.end() + 2]
    # Behind it a footnote or another citation may stand.
    if after[:1] == "(" or (after[:1] == "[" and after not in ("[@", "[^")) or match[0][1:-1] in defined:
        return True
    return after[:1] == ":" and not text[text.rfind("\n", 0, at) + 1 : at].strip("> ")


def _citation(text: str, at: int, match: re.Match[str] | None, number: int) -> Mention:
    if match is None:
        raw = re.split(r"(?<=\])|\n", text[at : at + 40], maxsplit=1)[0]
        hint = _IN_MARKS if _BRACKETS.match(raw) else "write [@key] or [@owner/name:path#L1-9]"
        told = MetalworkingError("leftover", f"left over as text: {raw}", hint)
        return Mention(Kind.ODD, at, at + 2, number, raw, problem=told)
    inner = match[0][2:-1]
    # In a quotation every line begins with a mark that is not the citation's; as many blanks keep the spans.
    inner = _CONTINUED.sub(lambda m: "\n" + " " * (len(m[0]) - 1), inner) if "\n" in inner else inner
    try:
        citation, spans = read_citation(inner)
    except MetalworkingError as problem:
        return Mention(Kind.CITATION, at, match.end(), number, match[0], problem=problem)
    return Mention(Kind.CITATION, at, match.end(), number, match[0], citation, spans=_moved(spans, at + 2))


def _moved(spans: Spans, by: int) -> Spans:
    def moved(span: Span) -> Span:
        return span[0] + by, span[1] + by

    return {name: moved(span) for name, span in spans.items()}
