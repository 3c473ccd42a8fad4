"""The state of the language server: a site that is read as its pages change, and what the editor was told.

All that is asked of the desk runs in the one loop of the server, one after the other; only rounds begin in a thread.
Texts come whole with each change: the library counts lines as Python does, at form feeds and U+2028 too, where no
editor does.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from ... import __version__
from ...quote.diagnostics import MetalworkingError, printable
from ...quote.repo import clone_url
from ..mkdocs.desk import Desk
from .editing import Bench
from .known_clones import remember, remember_site
from .paths import Trees
from .problems import Shown, shown_problems
from .sites import configs_above

_PAUSE = 0.02
"""Seconds after a keystroke until the page is read: what is typed in one go is read once."""
_BREATH = 0.002
"""Seconds between two pages of a round, in which a message of the editor arrives and is taken up."""


class Session(LanguageServer):
    """A language server for one site: that of mkdocs.yml *config_file*, else of the folder that the editor names."""

    def __init__(self, config_file: str | None = None, *, url: Callable[[str], str] = clone_url) -> None:
        """*url* is where git fetches a repository from, when a file is to be locked."""
        sync = lsp.TextDocumentSyncKind.Full
        super().__init__("metalworking", __version__, text_document_sync_kind=sync)
        self.url = url
        self.bench: Bench | None = None
        self.trees = Trees()
        self.shown: dict[Path, list[Shown]] = {}
        self._config_file = config_file
        self._timer: asyncio.TimerHandle | None = None
        self._round: asyncio.Task[None] | None = None
        self._due = False
        self._passed: set[Path] = set()

    # The site

    def find_site(self, folder: Path) -> None:
        """Load the site of *folder* or of one above it, once; a folder without one is none of ours."""
        if self.bench is not None:
            return
        config = self._config_file or self._found(folder)
        if config is None:
            return
        try:
            desk = Desk(str(Path(config).absolute()))
        except MetalworkingError as problem:
            self.tell(str(problem), lsp.MessageType.Error)
            return
        settings = desk.site.settings(offline=True)
        remember_site(desk.site.root)
        remember(settings.code, settings.root)
        encoding = self.server_capabilities.position_encoding or lsp.PositionEncodingKind.Utf16
        self.bench = Bench(desk, str(getattr(encoding, "value", encoding)))
        os.chdir(desk.site.root)  # so that a round in a thread changes nothing for the loop
        self.read_anew()

    def _found(self, folder: Path) -> str | None:
        """Return the mkdocs.yml of *folder* or of one above it; tells of each that is passed over, once."""
        for config, why in configs_above(folder):
            if not why:
                return str(config)
            if config not in self._passed:
                self._passed.add(config)
                hint = f"if it is yours: metalworking --config-file {shlex.quote(str(config))} lsp, once"
                self.tell(printable(f"{config} is not loaded, since {why} ({hint})"))
        return None

    def at(self, uri: str, *, read: bool = True) -> tuple[Bench, Path] | None:
        """Return the bench and the path of a document, None for what is none of ours.

        What was written is *read* first; who needs no more than the text does not wait for that.
        """
        if self.bench is None:
            return None
        if read:
            self.flush()
        return (self.bench, self.bench.path(uri)) if self.bench.desk.begun else None

    # Texts

    def put(self, uri: str, text: str) -> None:
        """Take the text of a document; it is read in a moment."""
        if self.bench is None:
            return
        path = self.bench.path(uri)
        self.bench.opened[path] = uri
        self.bench.typed[path] = text
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PAUSE, self.flush)

    def flush(self) -> None:
        """Read what was written, and tell what is wrong with it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.bench is None or not self.bench.typed:
            return
        typed, self.bench.typed = self.bench.typed, {}
        due = [self.bench.desk.write(path, text) for path, text in typed.items()]
        if any(due):
            self.read_anew()
        self.publish()
        if not self._busy and self.bench.desk.begun and self.bench.desk.round.left:
            self._round = asyncio.get_running_loop().create_task(self._rest())

    # Rounds

    @property
    def _busy(self) -> bool:
        return self._round is not None and not self._round.done()

    def read_anew(self) -> None:
        """Begin a round over the whole site, after the present one if there is one."""
        self._due = True
        if not self._busy:
            self._round = asyncio.get_running_loop().create_task(self._rounds())

    async def _rounds(self) -> None:
        while self._due and self.bench is not None:
            self._due = False
            try:
                new = await asyncio.to_thread(self.bench.desk.prepare)
            except MetalworkingError as problem:
                self.tell(str(problem), lsp.MessageType.Error)
                continue
            self._due = self.bench.desk.take(new) or self._due
            self.publish()
            await self._rest()

    async def _rest(self) -> None:
        """Read what is left page by page, so that whoever types in between is answered."""
        bench = self.bench
        while bench is not None and not self._due and bench.desk.begun and bench.desk.step():
            await asyncio.sleep(_BREATH)
            while self._timer is not None:  # what was typed comes first
                await asyncio.sleep(_BREATH)
        self.publish()
        if self._due:
            await self._rounds()

    def publish(self) -> None:
        """Tell the editor what is wrong, of the files where that changed."""
        bench = self.bench
        if bench is None or not bench.desk.begun:
            return
        found = shown_problems(bench, bench.desk.findings())
        if not bench.desk.whole:  # of a page that is not read yet the last word stands
            unread = set(bench.desk.unread())
            found |= {path: known for path, known in self.shown.items() if path in unread}
        before, self.shown = self.shown, found
        for path in before.keys() | found.keys():
            now = [one.as_lsp() for one in found.get(path, ())]
            if now != [one.as_lsp() for one in before.get(path, ())]:
                self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(bench.uri(path), now))

    def tell(self, message: str, kind: lsp.MessageType = lsp.MessageType.Info) -> None:
        """Show a message to the author."""
        self.window_show_message(lsp.ShowMessageParams(kind, message))

    def close(self) -> None:
        """Release what the server holds."""
        self.trees.close()
        if self.bench is not None:
            self.bench.desk.close()
