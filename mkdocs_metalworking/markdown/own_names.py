"""Names of ours on a page: the ids of citations' footnotes, of figures and of lines, the classes of quoted code.

Nothing else on it may have one: a reader, and every other form of the page, goes by them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markdown.postprocessors import Postprocessor

from ..quote.diagnostics import Location, MetalworkingError
from .given import given_in
from .marked_text import footnotes_of
from .visible import without_marks
from .work import Work

_PARTS = (
    *("excerpt", "caption", "where", "title", "file", "origin", "repo", "commit", "license", "uncommitted", "home"),
    *("abridged", "dedented", "code-block", "pre", "code", "l", "gap", "ctl"),
)
_CLASSES = frozenset(f"mw-{part}" for part in _PARTS)
"""Classes of a quotation's figure and of all that stands in it but its notes."""
_FOOTNOTE = re.compile(r"fn.*?\b(cite-[0-9a-f]{8})", re.DOTALL)
"""The id of a citation's footnote, or of a reference to one."""


_GIVEN = re.compile(r"""(?P<braces>\{[^{}]*\})|\bid\s*=\s*["']?(?P<id>[^\s"'<>{}]+)""")
_FIGURE = re.compile(r"<figure\b[^<>]*?\bid=\"[^\"<>]*?(?P<id>excerpt--[0-9a-f]{7}-L[0-9]+(?:-[0-9]+)?)\"[^<>]*>")
"""The tag of a figure by the end of its id: a plugin that converts a docstring by itself puts a prefix before ids."""


class OwnNamePostprocessor(Postprocessor):
    """Reports what has a name of ours on the finished page, outside of the very HTML that was made for quoted code.

    Then it ends the page. Priority -100: below all that makes HTML or changes it.
    """

    PRIORITY = -100

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work
        self._lines: dict[tuple[str, str], int] | None = None
        """Lines of the page's names, of which there may be thousands; looked for when one is to be reported."""

    def run(self, text: str) -> str:
        """Report each such name once; raises QuotationError where no host collects problems."""
        if not self._work.laid_out:  # a heading for the table of contents, which comes again with the page
            return text
        page, self._lines = self._work.page, None
        page.made.update(self._work.made())
        ids: list[str] = []
        classes: list[str] = []
        for kind, value in given_in(_without(page.made, text)):
            if kind == "id":
                ids.append(value)
            elif "mw-" in value:
                classes.append(value)
        for name in sorted(_ours(classes)):
            self._report(f"{name} is a class of quoted code", name, "class")
        for written, where in self._work.tracker.raw:
            for name in sorted(_ours(value for kind, value in given_in(written) if kind == "class")):
                problem = MetalworkingError("id", f"{name} is a class of quoted code", "write it without the tag")
                page.report(problem, where)
        if page.citations or page.quantities or page.figures:
            self._ids(Counter(ids))
        self._work.finish()
        return text

    def _ids(self, known: Counter[str]) -> None:
        page = self._work.page
        footnotes = footnotes_of(self._work.md).footnotes if "footnote" in self._work.md.inlinePatterns else ()
        for name, count in known.items():
            footnote = _FOOTNOTE.fullmatch(name)
            if footnote and footnote[1] in footnotes:
                continue  # one of the author's, by its name: it was told
            if name in page.names or name in page.figures or (footnote and count > 1):
                what = "a citation's footnote" if footnote else "quoted code"
                self._report(f"#{name} is the id of {what}", name, "id")

    def _report(self, message: str, name: str, kind: str) -> None:
        """Report *name* where the page first has it, as far as it is written there."""
        page = self._work.page
        if self._lines is None:
            self._lines = dict(_given((page.source or "").split("\n")))
        where = Location(page.path, self._lines.get((kind, name.lower())))
        page.report(MetalworkingError("id", message, f"give the element another {kind}"), where)


def _ours(attributes: Iterable[str]) -> frozenset[str]:
    """Return the classes of quoted code among those that *attributes* give."""
    return _CLASSES.intersection(name.rstrip("/") for value in attributes for name in value.replace("\0", "").split())


def _given(lines: Sequence[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield each id and class of ours with its line, the last line first."""
    for number in range(len(lines), 0, -1):
        for match in _GIVEN.finditer(lines[number - 1].lower()):
            for name in re.findall(r"#([^\s#{}]+)", match["braces"] or "") or filter(None, (match["id"],)):
                yield ("id", name), number
        for name in re.findall(r"(?<![\w-])mw-[a-z-]+", lines[number - 1].lower()):
            yield ("class", name), number


def _without(made: Mapping[str, str], html: str) -> str:
    """Return *html* without the figures whose whole content is what was *made*, each once.

    By the id the content is only found: it counts as it is, to the last character, and nothing that is like it. Marks
    of characters that nobody sees go too, since titles, callouts and citations have some.
    """
    left = dict(made)
    parts, end = [], 0
    for figure in _FIGURE.finditer(html):
        content = left.get(figure["id"])
        if content is not None and html.startswith(content, figure.end()):
            del left[figure["id"]]
            parts.append(html[end : figure.start()])
            end = figure.end() + len(content)
    return without_marks("".join((*parts, html[end:])))
