"""What must hold of any page: the scan, the build, the lock's wanted files and bump agree, and nothing is silent."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

from mkdocs_metalworking.deliver.project import Project
from mkdocs_metalworking.hosts.cli.bump.edits import Place
from mkdocs_metalworking.hosts.edits import apply_edits
from mkdocs_metalworking.markdown.literal import prose
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.markdown.tracking import Met, Outcome
from mkdocs_metalworking.quote.citations import CitedLines, CitedReference
from mkdocs_metalworking.quote.lines import LineRange, text_lines
from mkdocs_metalworking.quote.mentions import Kind
from mkdocs_metalworking.quote.quotation import Quotation
from tests.structure.pages import Page
from tests.support import Bench

_FIGURE = re.compile(r'<figure class="mw-excerpt.*?</figure>', re.DOTALL)
_OURS = re.compile(r"<<\s*\w*cerpt|\[@acme|\[@ key|exerpt")
_LEFT = re.compile("[\ufdd0-\ufdef]")


def check(bench: Bench, project: Project, page: Page) -> Counter[str]:
    """Convert *page* and hold everything against everything; returns what became of its mentions."""
    html, found = bench.convert(page.text, project=project)
    _nothing_of_ours_is_left(html)
    _everything_is_accounted_for(found)
    _lines_are_right(page, found)
    _what_is_shown_is_on_the_page(html, found)
    _nothing_is_silent(html, found)
    _bump_changes_what_is_shown_and_nothing_else(page, found)
    return Counter(met.outcome.value for met in found.met)


def _nothing_of_ours_is_left(html: str) -> None:
    assert not _LEFT.search(html), "a mark is left on the page"


def _everything_is_accounted_for(found: PageContext) -> None:
    """No mention is open; those shown are the page's quotations and citations, one for one."""
    assert not [
        met.mention.raw for met in found.met if met.outcome is Outcome.OPEN and met.mention.kind is not Kind.ITEM
    ]
    shown = [met.shown for met in found.met]
    quoted = Counter(map(id, (s for s in shown if isinstance(s, Quotation))))
    assert quoted == Counter(map(id, found.quotations)), "quotations"
    cited = Counter(map(id, (s for s in shown if isinstance(s, CitedLines | CitedReference))))
    assert cited == Counter(map(id, found.citations)), "citations"


def _lines_are_right(page: Page, found: PageContext) -> None:
    """Every mention stands on the line that it is said to stand on, and every problem has a line."""
    lines = text_lines(page.text)
    for met in found.met:
        assert met.where.line is not None, met.mention.raw
        assert met.mention.raw.partition("\n")[0] in lines[met.where.line - 1], (met.where, met.mention.raw)
    for problem in found.diagnostics:
        assert problem.location.line is not None, str(problem)


def _what_is_shown_is_on_the_page(html: str, found: PageContext) -> None:
    figures = html.split('<figure class="mw-excerpt')[1:]  # one may stand in a note of another
    assert len(figures) == len(found.quotations), "each quotation is a figure on the page"
    for met in found.met:
        if isinstance(met.shown, Quotation):
            lines = {str(n) for part in met.shown.ranges for n in range(part.first, (part.last or 0) + 1)}
            mine = [figure for figure in figures if set(re.findall(r'data-n="(\d+)"', figure)) == lines]
            assert mine, met.mention.raw
    tied = sum(len(met.notes) for met in found.met)
    assert tied == html.count('class="mw-note"'), "as many notes are tied as were recorded"


def _nothing_is_silent(html: str, found: PageContext) -> None:
    """Text that a reader takes for prose holds nothing of ours, unless it was told."""
    told = len(found.diagnostics)
    left = _OURS.search(unescape(prose(re.sub(r'<div class="mw-error".*?</div>', "", html, flags=re.DOTALL))))
    assert told or left is None, f"silent: {left[0] if left else ''}"
    raw_notes = re.search(r"<li>\s*(?:<p>)?L\d+[:\u2013-]", _FIGURE.sub("", html))
    follows = [met for met in found.met if met.mention.kind is Kind.NOTE and met.mention.follows is not None]
    if raw_notes and follows and not told:
        assert all(met.outcome in (Outcome.SHOWN, Outcome.LITERAL) for met in follows)


def _bump_changes_what_is_shown_and_nothing_else(page: Page, found: PageContext) -> None:
    """Moving by nothing is no change; moving by one changes the spans of what is shown, and they read so."""
    text = page.text.replace("\r\n", "\n")
    shown = [met for met in found.met if isinstance(met.shown, Quotation | CitedLines)]
    places = [place for met in shown if (place := Place.of(met)) is not None]
    assert len(places) == len(shown), "what is in the file can be rewritten"
    still = [edit for place in places for edit in place.edits(text, place.what.sha, place.what.ranges, lambda r: r)]
    assert apply_edits(text, still) == text
    moved = [e for place in places for e in place.edits(text, "", tuple(map(_on, place.what.ranges or ())), _on)]
    for (start, end), new in moved:
        assert re.search(r"\d", text[start:end]), text[start:end]
        assert re.sub(r"\d+", "", new).replace(" ", "") == re.sub(r"\d+|\s|L(?=\d)", "", text[start:end]) or "L" in new


def _on(lines: LineRange) -> LineRange:
    return LineRange(lines.first + 1, (lines.last or 0) + 1)


def outcomes(met: list[Met]) -> dict[str, str]:
    """Return what became of each mention, for messages."""
    return {one.mention.raw: one.outcome.value for one in met}
