"""The colors of a quotation, part by part: from the cache, from a worker, or made here, and checked in each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pygments.lexer import Lexer

from ..quote.lines import Segment
from ..quote.quotation import Quotation
from . import highlight
from .highlight import LineCache
from .highlight_pool import Job


@dataclass(frozen=True, slots=True)
class Part:
    """Lines without a gap, and the name under which their colors are kept."""

    quotation: Quotation
    segment: Segment

    @property
    def name(self) -> str:
        """All that decides the colors: the path, the language and the file decide the lexer, so none is needed."""
        file, directive = self.quotation.file, self.quotation.directive
        part = f"{self.segment.first}-{self.segment.last}:{directive.dedent}:{directive.lang}"
        return f"{highlight.FORMAT}:{file.sha256}:{part}:{file.key.path}"

    def job(self) -> Job:
        """Return what a lexer needs."""
        above = self.quotation.source[: self.segment.first - 1]
        lead = highlight.opening_comment(above, self.quotation.file.key.path)
        return Job(lexer_of(self.quotation).aliases[0], tuple(self.segment.lines), tuple(lead))

    def made(self) -> list[str]:
        """Return the lines with colors. Raises TooSlow."""
        job = self.job()
        return highlight.highlight_lines(job.lines, highlight.lexer_named(job.alias), lead=job.lead)


def parts(quotation: Quotation) -> Iterator[Part]:
    """Yield the parts of *quotation*; a card has none."""
    return (Part(quotation, segment) for segment in quotation.segments or ())


def ask_ahead(quotation: Quotation, cache: LineCache) -> None:
    """Let the colors that no build has made yet be made while the pages are read."""
    for part in parts(quotation):
        cache.ahead(part.name, part.job)


def colored(part: Part, cache: LineCache) -> list[str]:
    """Return the HTML of each line of *part*; without colors when they would take too long."""
    try:
        lines = cache(part.name, part.made)
        if not highlight.faithful(lines, part.segment.lines):
            lines = part.made()
            cache.replace(part.name, lines)
    except highlight.TooSlow:
        highlight.tell_slow(str(part.quotation.file.key))
        lines = highlight.plain_lines(part.segment.lines)
    return lines


@lru_cache(maxsize=256)
def _lexer(path: str, lang: str, source: tuple[str, ...]) -> Lexer:
    return highlight.lexer_named(lang) if lang else highlight.lexer_for(path, source)


def lexer_of(quotation: Quotation) -> Lexer:
    """Return the lexer that reads the lines of *quotation*."""
    return _lexer(quotation.file.key.path, quotation.directive.lang, quotation.source)
