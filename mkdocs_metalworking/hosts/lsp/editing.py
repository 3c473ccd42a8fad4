"""What the features of the server share: the desk, the texts of documents, and their addresses in the editor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris

from ...markdown.page import PageContext
from ...markdown.tracking import Met, Outcome
from ...quote.directive import Span, quoted_path
from ..edits import Edit
from ..mkdocs.desk import Desk
from ..mkdocs.drafts import plain_text
from .positions import Lines

_BARE = re.compile(r'[^\s#",]+')


@dataclass
class Bench:
    """A desk, with the addresses under which the editor has opened its files, and how it counts characters."""

    desk: Desk
    encoding: str = lsp.PositionEncodingKind.Utf16
    opened: dict[Path, str] = field(default_factory=dict)
    typed: dict[Path, str] = field(default_factory=dict)
    """Texts that the desk has not read yet."""

    def path(self, uri: str) -> Path:
        """Return the path of a document, as the desk names it."""
        return self.desk.at(Path(uris.to_fs_path(uri) or uri))

    def uri(self, path: Path) -> str:
        """Return the address of a file: the editor's own for one that it has opened."""
        return self.opened.get(path) or uris.from_fs_path(str(path)) or str(path)

    def lines(self, path: Path) -> Lines:
        """Return the text of a file, saved or not, with its places."""
        text = plain_text(self.typed[path]) if path in self.typed else self.desk.text(path)
        return Lines(text, self.encoding)

    def page(self, path: Path) -> PageContext | None:
        """Return what was found on the page at *path*, read from the text that stands there now."""
        return self.desk.page(path) if self.desk.begun else None

    def location(self, path: Path, span: Span, lines: Lines | None = None) -> lsp.Location:
        """Return a place for the editor to go to."""
        return lsp.Location(self.uri(path), (lines or self.lines(path)).range(span))

    def workspace_edit(self, edits: Iterable[tuple[Path, Iterable[Edit]]]) -> lsp.WorkspaceEdit:
        """Return *edits* of several files as one."""
        changes = {}
        for path, found in edits:
            lines = self.lines(path)
            changes[self.uri(path)] = [lsp.TextEdit(lines.range(span), new) for span, new in sorted(set(found))]
        return lsp.WorkspaceEdit(changes={uri: found for uri, found in changes.items() if found})


def met_at(page: PageContext, offset: int) -> Met | None:
    """Return the mention at *offset* of the page's text, none where it is literal."""
    for met in page.met:
        place = met.place
        if place is not None and place[0] <= offset <= place[1] and met.outcome is not Outcome.LITERAL:
            return met
    return None


def written_path(path: str) -> str:
    """Return *path* as a directive or a citation has it: in quotation marks where it needs them."""
    return path if _BARE.fullmatch(path) else quoted_path(path)
