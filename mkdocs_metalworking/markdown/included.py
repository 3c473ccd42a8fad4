"""What pymdownx.snippets includes: no file that is reached by a link which somebody brought and which leads out.

That extension looks at names alone. Whether such a link lies on the way is known where the file is found, wherever the
extension looks for it, and whatever a host knows of the site's files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .work import Work

_NAME = "snippet"
"""That of the preprocessor."""
_WHERE = "base_path counts from where the command runs, as in a build; in an editor, from the folder of mkdocs.yml"


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
        found, page = self._find(name), self._work.page
        if found is None:  # the extension itself says nothing, unless it is told to
            message = f"nothing is included, since {name[:200]!r} is not found"
            page.diagnostics.add(Diagnostic(Severity.HINT, "snippets", message, _WHERE, Location(page.path)))
            return None
        try:
            return os.fspath(self._work.inside(Path(found)))
        except MetalworkingError as problem:
            page.report(problem, Location(page.path))
            return os.devnull
