"""What MkDocs is told of the ids on a page, so that links to them are checked."""

from __future__ import annotations

from collections.abc import Iterable

from ...markdown.anchors import LineNames


class PageAnchors(set[str]):
    """The ids on a page that MkDocs found; the lines of its excerpts, too many to be listed, are among them too."""

    def __init__(self, found: Iterable[str], lines: LineNames) -> None:
        super().__init__(found)
        self._lines = lines

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and name in self._lines)
