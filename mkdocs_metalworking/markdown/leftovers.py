"""The account of a page's mentions: what was not shown and is not literal is an error, with its line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER, AtomicString

from ..quote.diagnostics import MetalworkingError
from ..quote.mentions import Kind, scan
from .literal import LITERAL, marks_in_prose, prose
from .tracking import FOREIGN, MARK, Met, Outcome, unmarked
from .work import Work

_STASHED = re.compile(HTML_PLACEHOLDER % "([0-9]+)")
_TAKES = {
    "td": "a table took it in: leave a blank line above it",
    "th": "a table took it in: leave a blank line above it",
    "dt": "a definition list took it in: leave a blank line below it",
}
_PLAIN = "here it is no block of its own: leave a blank line above it and indent it as the text around it is"
_NO_LINK = "as a link it leads nowhere: define the second bracket, or leave a blank before it"
_RAW = "it stands in raw HTML, where no Markdown is read: put it outside, or write markdown into the tag (md_in_html)"


class LeftoverProcessor(Treeprocessor):
    """Looks for the marks that nobody took, and takes every mark out.

    Priority 19: right after inline patterns (20), which tell code from prose, and before those that make other
    characters of brackets (smarty, 6) or ids of headings (toc, 5).
    """

    PRIORITY = 19

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Report every leftover."""
        work = self._work
        self._in_code: set[int] = set()
        self._shown = {
            met.mention.start
            for met in work.tracker.met
            if met.mention.kind is Kind.DIRECTIVE and met.outcome is Outcome.SHOWN
        }
        for where in work.tracker.foreign:
            message = "a character that no text may have (U+FDD0 to U+FDEF)"
            work.page.report(MetalworkingError("leftover", message, "take it out"), where)
        for key, mention, where in work.tracker.plain:
            if mention.kind not in (Kind.NOTE, Kind.ITEM):
                hint = f"{key} is shown as it is written: write the words in its place"
                raw = mention.raw.partition("\n")[0][:60].strip()
                work.page.report(MetalworkingError("leftover", f"left over as text: {raw}", hint), where)
        for _, title in work.md.references.values():
            marks = list(MARK.finditer(title or ""))
            self._close(marks, {mark[0] for mark in marks}, "the title of a link is plain text: write the words")
        self._tree(root)
        if work.tracker.met:
            self._stash()
        for met in work.tracker.met:
            if met.outcome is Outcome.OPEN and met.mention.kind is not Kind.ITEM:
                self._report(met, "another extension took it off the page: leave it out of what that one reads")

    def _tree(self, root: Element) -> None:
        work = self._work
        for holder, name, literal, tag in _texts(root):
            text = getattr(holder, name)
            if literal and work.tracker.met:
                # What stands in code may itself be put aside (inlinehilite): it is as literal as its place is.
                self._in_code.update(int(match[1]) for match in _STASHED.finditer(text))
            marked = FOREIGN.search(text) is not None
            if marked:
                self._marks(text, literal, _TAKES.get(tag, _PLAIN))
                plain = unmarked(text)
                setattr(holder, name, AtomicString(plain) if isinstance(text, AtomicString) else plain)
            if not literal and ("[@" in text or "[=" in text or "<<" in text or "xcerpt" in text):
                self._unmarked(text)
        if work.tracker.met:
            for element in root.iter():
                for key, value in element.items():
                    if FOREIGN.search(value):
                        self._marks(value, True, "")
                        element.set(key, unmarked(value))

    def _marks(self, text: str, literal: bool, hint: str) -> None:
        matches = list(MARK.finditer(text))
        prose = set() if literal else {match[0] for match in matches}
        if prose and _STASHED.search(text):
            prose = marks_in_prose(self._unstashed(text))
        self._close(matches, prose, hint)

    def _close(self, marks: Iterable[re.Match[str]], prose: set[str], hint: str) -> None:
        """Report the mentions of *marks* that are still open and stand in *prose*; the others are literal."""
        for mark in marks:
            met = self._work.tracker.by(mark)
            if met is None or met.outcome is not Outcome.OPEN:
                continue
            if mark[0] in prose:
                self._report(met, hint)
            else:
                met.outcome = Outcome.LITERAL

    def _unstashed(self, text: str) -> str:
        """Return *text* as HTML, raw tags put back: one of them may be ``<code>``."""
        blocks = self._work.md.htmlStash.rawHtmlBlocks
        parts, end = [], 0
        for match in _STASHED.finditer(text):
            raw = blocks[int(match[1])] if int(match[1]) < len(blocks) else ""
            parts += [escape(text[end : match.start()]), raw if isinstance(raw, str) else ""]
            end = match.end()
        return "".join((*parts, escape(text[end:])))

    def _unmarked(self, text: str) -> None:
        """Report what came into the page too late to be marked, or was taken for fenced code and is none."""
        known: set[int] = set()
        size = 0
        for match in MARK.finditer(text):
            known.add(match.start() - size)
            size += len(match[0])
        plain = unmarked(text)
        found = self._work.tracker.scan(plain, links=False)
        for mention in (*found.mentions, *found.fenced):
            if mention.start not in known and mention.kind not in (Kind.NOTE, Kind.ITEM):
                raw = mention.raw.partition("\n")[0][:60].strip()
                told = mention.problem if mention.kind is Kind.ODD else None
                hint = _NO_LINK if plain[mention.end : mention.end + 1] == "[" else _PLAIN
                told = told or MetalworkingError("leftover", f"left over as text: {raw}", hint)
                self._work.page.report(told, self._work.tracker.elsewhere(mention))

    def _stash(self) -> None:
        """Look into raw HTML, which Markdown put aside whole."""
        stash = self._work.md.htmlStash
        for index, raw in enumerate(stash.rawHtmlBlocks):
            if isinstance(raw, Element):
                self._tree(raw)
            elif index not in self._work.stashed and FOREIGN.search(raw):
                prose = set() if index in self._in_code else marks_in_prose(raw)
                self._close(MARK.finditer(raw), prose, _RAW)
                stash.rawHtmlBlocks[index] = unmarked(raw)

    def _report(self, met: Met, hint: str) -> None:
        mention = met.mention
        met.outcome = Outcome.LITERAL
        if mention.kind is Kind.ITEM or (mention.kind is Kind.NOTE and not self._lost(mention.follows)):
            return
        met.outcome = Outcome.REPORTED
        problem = mention.problem
        if problem is None and mention.kind is Kind.NOTE:
            raw = mention.raw.partition(":")[0][:40]
            message = f"line note {raw}: is not tied to the excerpt above it"
            problem = MetalworkingError("note", message, "begin the list right below the excerpt, indented as that is")
        elif problem is None:
            raw = mention.raw.partition("\n")[0][:60].strip()
            problem = MetalworkingError("leftover", f"left over as text: {raw}", hint)
        self._work.page.report(problem, met.where, met)

    def _lost(self, follows: int | None) -> bool:
        """Tell whether the directive that a note follows is shown; when it is not, there is nothing to tie it to."""
        return follows in self._shown


def _texts(root: Element) -> Iterator[tuple[Element, str, bool, str]]:
    """Yield element, ``text`` or ``tail``, whether it is literal, and the tag around, for every text below *root*.

    No recursion, since a page may nest deeper than Python's stack.
    """
    todo: list[tuple[Element, bool]] = [(root, False)]
    while todo:
        element, literal = todo.pop()
        inside = literal or element.tag in LITERAL or element.get("class") == "mw-error"
        if element.text:
            yield element, "text", inside, str(element.tag)
        for child in element:
            if child.tail:
                yield child, "tail", inside, str(element.tag)
            todo.append((child, inside))


def unread(html: str) -> Iterator[MetalworkingError]:
    """Yield what in *html*, made without Markdown, a reader would see raw: directives and citations."""
    if "excerpt" not in html and "[@" not in html:
        return
    for mention in scan(prose(html)).mentions:
        if mention.kind not in (Kind.NOTE, Kind.ITEM):
            raw = mention.raw.partition("\n")[0][:60].strip()
            hint = "write it on a page in Markdown: what made this page reads none"
            yield MetalworkingError("leftover", f"left over as text: {raw}", hint)
