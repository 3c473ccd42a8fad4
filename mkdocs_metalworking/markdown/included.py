"""What pymdownx.snippets includes: no file that is reached by a link which somebody brought and which leads out.

That extension looks at names alone. Whether such a link lies on the way is known where the file is found, wherever the
extension looks for it, and whatever a host knows of the site's files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..quote.diagnostics import Location, MetalworkingError
from .work import Work

_NAME = "snippet"
"""That of the preprocessor."""


def hold_includes(work: Work) -> None:
    """Let the extension, where it is at work, find nothing in the place of such a file; the page has an error then."""
    if _NAME not in work.md.preprocessors:
        return
    snippets = work.md.preprocessors[_NAME]
    find = getattr(snippets, "get_snippet_path", None)
    if find is not None and not isinstance(find, _Held):
        snippets.get_snippet_path = _Held(find, work)  # type: ignore[attr-defined]  # it has one


class _Held:
    """The extension's own way from a name to a path, or None; it is asked for files within files, too."""

    def __init__(self, find: Callable[[str], str | None], work: Work) -> None:
        self._find = find
        self._work = work

    def __call__(self, name: str) -> str | None:
        found = self._find(name)
        try:
            return found and os.fspath(self._work.inside(Path(found)))
        except MetalworkingError as problem:
            self._work.page.report(problem, Location(self._work.page.path))
            return os.devnull
