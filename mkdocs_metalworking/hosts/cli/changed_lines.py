"""Which lines pages quote now and did not before, as a diff in Markdown.

What is told of an excerpt is a headline, and its lines as one text: that is never cut in two, or its fence stayed open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...deliver.project import Project
from ...glossary.callout import split_front_matter
from ...markdown.page import PageContext
from ...markdown.tracking import Met, Outcome
from ...quote.blob import FileKey, LockedFile
from ...quote.diagnostics import MetalworkingError, Unavailable, printable
from ...quote.directive import Directive
from ...quote.fences import longer_ticks
from ...quote.lines import Ranges, close_ranges, format_ranges, source_lines
from ...quote.lock import Lock, LockedRegion
from ...quote.matching import differing
from ...quote.mentions import scan
from ...quote.own import selection_of
from ...quote.quotation import Quotation
from ...quote.repo import SELF
from ...quote.selection import lines_of
from ...quote.sources import Pin
from .code_spans import code
from .versions import Version

Was = Callable[[Mapping[str, str]], Mapping[str, Sequence[Met]]]
"""Reads texts of pages, by their labels, and returns the account of each."""
_SHOWN = 400
"""Lines of code that are shown of one excerpt; of more the reader is told."""
NOT_HERE = ("  - its lines are not on this machine", "  - its lines of now are not on this machine")
"""How a text begins that does not show what is quoted now."""
_WIDEST = 500
"""Characters of a line that are shown."""
_ROOM = 30_000
"""Characters that are shown of one excerpt."""


def quoted(before: Version, after: Version, project: Project, shown: Iterable[PageContext], was: Was) -> Iterator[str]:
    """Yield, page by page, what the pages quote in *after* and did not in *before*, and what they no longer quote.

    A page quotes what is read as a directive: *shown* has the account of the pages as they are, and *was* makes that of
    texts of before, by the labels of their pages. Then what is *brought*.
    """
    now = {page.path: page for page in shown}
    changed = {page: text for page, text in before.pages.items() if page in now and text != after.pages.get(page)}
    then, told = was({page: _text(text) for page, text in changed.items()}), dict[str, list[_Excerpt]]()
    for page in sorted(before.pages.keys() | after.pages.keys()):
        live = _live(now[page].met) if page in now else _written(after, page)
        same = page in now and page in before.pages
        old = _excerpts(before, _live(then[page]) if page in then else live if same else _written(before, page))
        new = _excerpts(after, live)
        gone, come = _beyond(old, new), _beyond(new, old)
        told[page] = come
        for index, one in enumerate(gone):
            other = come[index] if index < len(come) else None
            what = f"quotes {code(other.name)} instead of" if other else "no longer quotes"
            yield f"- {code(page)} {what} {code(one.name)}"
            yield _diff(one.lines(project), other.lines(project) if other else [])
        for one in come[len(gone) :]:
            yield f"- {code(page)} quotes {code(one.name)}, which is new"
            yield _diff([], one.lines(project))
    yield from _brought(now.values(), after, project, told)


def _brought(
    pages: Iterable[PageContext], after: Version, project: Project, told: Mapping[str, list[_Excerpt]]
) -> Iterator[str]:
    """Yield what a page shows and its file in *after* does not have, as it is read here without a build.

    What is included may end a fence, and a page may lie behind a link. It is not known what that was before; what is
    *told* is not told again.
    """
    for page in pages:
        known = [*_excerpts(after, _written(after, page.path)), *told.get(page.path, ())]
        for met in page.met:
            if not isinstance(met.shown, Quotation):
                continue
            pin, file = met.shown.pin, met.shown.file if met.shown.pin.commit else None
            one = _excerpt(project.lock, met.shown.directive, pin, file)
            if met.where.line is None or one not in known:
                yield f"- {code(page.path)} quotes {code(one.name)} by way of an included file or another program"
                yield _diff([], one.lines(project))


def _beyond(some: Sequence[_Excerpt], others: Sequence[_Excerpt]) -> list[_Excerpt]:
    """Return those of *some* that are not among *others*, or not as often, in their order."""
    left = Counter(others)
    found = []
    for one in some:
        left[one] -= 1
        if left[one] < 0:
            found.append(one)
    return found


def _live(met: Iterable[Met]) -> list[Directive]:
    """Return the directives of a page's own file that are read as such, by its account."""
    read = (Outcome.SHOWN, Outcome.REPORTED)
    found = (one.mention.what for one in met if one.outcome in read and one.where.line is not None)
    return [what for what in found if isinstance(what, Directive)]


def _written(version: Version, page: str) -> list[Directive]:
    """Return the directives that a page's file seems to have, to who reads it alone."""
    text = _text(version.pages.get(page, ""))
    body = text.split("\n")[split_front_matter(text)[1] :]
    return [one.what for one in scan("\n".join(body)).mentions if isinstance(one.what, Directive)]


def _text(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class _Excerpt:
    """Lines that a page quotes: what is written, and the file when it is pinned and locked.

    Of named lines of the working tree there is no file but what was *accepted*.
    """

    name: str
    ranges: Ranges | None
    file: LockedFile | None
    accepted: LockedRegion | None = None

    def lines(self, project: Project) -> list[str] | None:
        """Return the lines; None when their bytes are not on this machine."""
        if self.accepted is not None:
            whole = project.quoter.accepted(self.accepted)
            return None if whole is None else lines_of(whole, self.accepted.ranges)
        if self.file is None:
            return None
        try:
            text = source_lines(project.resolver.resolve(self.file).data, self.file.key.path)
            ranges = close_ranges(self.ranges, len(text), self.file.key.path)
        except (MetalworkingError, Unavailable):
            return None
        return [line for part in ranges for line in text[part.first - 1 : part.last]]


def _excerpts(version: Version, directives: Iterable[Directive]) -> list[_Excerpt]:
    found = []
    for directive in directives:
        try:
            pin = version.sources.pin(directive.repo, directive.sha)
        except MetalworkingError:
            continue  # check has the message
        files = [f for key, f in version.lock.files.items() if key.commit == pin.commit and key.path == directive.path]
        file = next((f for f in files if f.key.repo == pin.repo), None)
        try:
            found.append(_excerpt(version.lock, directive, pin, file))
        except MetalworkingError:
            continue
    return found


def _excerpt(lock: Lock, directive: Directive, pin: Pin, file: LockedFile | None) -> _Excerpt:
    """Return what a directive quotes. Raises MetalworkingError for one that nothing can be quoted by."""
    key = FileKey(pin.repo, pin.commit, directive.path)
    named = selection_of(directive, working=not pin.commit) if pin.repo == SELF else directive.select
    region = lock.regions.get((key, named)) if named is not None else None
    if named is not None:
        text = f", text {region.sha256[:12]}" if region and not pin.commit else ""
        blob = f", blob {file.blob[:12]}" if file else ""
        accepted = region if not pin.commit else None
        ranges = region.ranges if region else None
        return _Excerpt(f"{key}{named}{text}{blob}", ranges, file if region else None, accepted)
    lines = format_ranges(directive.ranges) if directive.ranges else "all lines"
    blob = f", blob {file.blob[:12]}" if file else ""
    return _Excerpt(f"{pin.repo}@{pin.commit[:12]}:{directive.path}#{lines}{blob}", directive.ranges, file)


def _diff(old: list[str] | None, new: list[str] | None) -> str:
    if old is None and new is None:
        return NOT_HERE[0]
    if old == new:
        return "  - the lines are the same"
    if old is None or new is None:
        told = "  - the lines before it are not on this machine" if old is None else NOT_HERE[1]
        return f"{told}\n{_fenced(_compared(old or [], new or []))}"
    return _fenced(_compared(old, new))


def _compared(old: list[str], new: list[str]) -> list[str]:
    """Return all of both, or where that is too long what differs with a few lines around."""
    whole = differing(old, new, len(old) + len(new))
    return whole if len(whole) <= _SHOWN else differing(old, new, 3)


def _fenced(lines: list[str]) -> str:
    """Return *lines* within a fence that none of them ends, and how many there was no room for."""
    shown: list[str] = []
    room = _ROOM
    for line in lines[:_SHOWN]:
        text = printable(line[:_WIDEST]) + (f" … {len(line) - _WIDEST} characters" if len(line) > _WIDEST else "")
        room -= len(text)
        if room < 0:
            break
        shown.append(text)
    fence = longer_ticks("\n".join(shown), 3)
    left = f"  {len(lines) - len(shown)} more lines\n" if len(shown) < len(lines) else ""
    return "".join(["\n", *(f"  {line}\n" for line in (f"{fence}diff", *shown, fence)), left])
