"""``metalworking lsp``: the wiring of the language server. What it answers is in the modules beside this one.

All that is asked of the desk runs in the one loop of the server, one after the other; only rounds begin in a thread,
and what may reach for the network. Texts come whole with each change: the library counts lines as Python does, at form
feeds and U+2028 too, where no editor does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from ... import __version__
from ...quote.diagnostics import MetalworkingError
from ...quote.repo import clone_url
from ..mkdocs.desk import Desk
from . import commands, completing, going, hovering, keys, mending
from .editing import Bench, met_at
from .paths import Trees
from .problems import Shown, shown_problems

_PAUSE = 0.02
"""Seconds after a keystroke until the page is read: what is typed in one go is read once."""
_CONFIG = "mkdocs.yml"
Command = Callable[[Bench, Callable[[str], str], list[str]], lsp.WorkspaceEdit | None]


class Server(LanguageServer):
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
        _register(self)

    # The site

    def find_site(self, folder: Path) -> None:
        """Load the site of *folder* or of one above it, once; a folder without one is none of ours."""
        if self.bench is not None:
            return
        config = self._config_file
        if config is None:
            found = next((one / _CONFIG for one in (folder, *folder.parents) if (one / _CONFIG).is_file()), None)
            config = str(found) if found is not None else None
        if config is None:
            return
        try:
            desk = Desk(str(Path(config).absolute()))
        except MetalworkingError as problem:
            self.tell(str(problem), lsp.MessageType.Error)
            return
        encoding = self.server_capabilities.position_encoding or lsp.PositionEncodingKind.Utf16
        self.bench = Bench(desk, str(getattr(encoding, "value", encoding)))
        os.chdir(desk.site.root)  # so that a round in a thread changes nothing for the loop
        self.read_anew()

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
            await asyncio.sleep(0)
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
            unread = {bench.desk.site.path(file) for file in bench.desk.round.left}
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


def _register(server: Server) -> None:
    """Say what the server does for a document."""

    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        folders = [uris.to_fs_path(uri) for uri in server.workspace.folders]
        root = server.workspace.root_path
        for folder in (*folders, root):
            if folder:
                server.find_site(Path(folder))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.find_site(Path(uris.to_fs_path(document.uri) or ".").parent)
        server.put(document.uri, document.text)
        _refresh(server)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.put(uri, server.workspace.get_text_document(uri).source)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(_: lsp.DidSaveTextDocumentParams) -> None:
        bench = server.bench
        if bench is not None and bench.desk.site.through_plugins:
            server.read_anew()  # what plugins make of a page may show on others
        _refresh(server)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        if (found := server.at(params.text_document.uri)) is not None:
            bench, path = found
            bench.opened.pop(path, None)
            if bench.desk.write(path, None):
                server.read_anew()
            server.publish()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: lsp.DidChangeWatchedFilesParams) -> None:
        _refresh(server)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=completing.TRIGGERS))
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        found = server.at(params.text_document.uri, read=False)
        return completing.complete(found[0], server.trees, found[1], params.position) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = server.at(params.text_document.uri)
        return hovering.hover(*found, params.position) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        found = server.at(params.text_document.uri)
        return going.definition(found[0], server.trees, found[1], params.position) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    def document_links(params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        found = server.at(params.text_document.uri)
        return list(going.links(*found)) if found else []

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        found = server.at(params.text_document.uri)
        if not found:
            return []
        found[0].desk.complete()
        return going.references(*found, params.position)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        found = server.at(params.text_document.uri)
        if not found:
            return None
        bench, path = found
        lines = bench.lines(path)
        offset = lines.offset(params.position)
        key = keys.key_at(bench, path, offset)
        if key is None:
            return None
        page = bench.page(path)
        met = met_at(page, offset) if page is not None else None
        at = (met.span("key") if met is not None else None) or lines.of_line(params.position.line + 1)
        return lsp.PrepareRenamePlaceholder(lines.range(at), key.name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        found = server.at(params.text_document.uri)
        if not found:
            return None
        bench, path = found
        bench.desk.complete()
        key = keys.key_at(bench, path, bench.lines(path).offset(params.position))
        if key is None:
            return None
        try:
            return bench.workspace_edit(list(keys.rename(bench, key, params.new_name)))
        except MetalworkingError as problem:
            raise JsonRpcInvalidParams(str(problem)) from problem

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def code_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        found = server.at(params.text_document.uri)
        if not found:
            return []
        here = [one for one in server.shown.get(found[1], ()) if _overlap(one.range, params.range)]
        return list(mending.actions(found[0], server.trees, found[1], here))

    @server.command(mending.LOCK)
    async def lock(*arguments: Any) -> None:
        await _carried_out(server, commands.lock, arguments)

    @server.command(mending.PIN)
    async def pin(*arguments: Any) -> None:
        edit = await _carried_out(server, commands.pin, arguments)
        if edit is not None:
            await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.close()


def _refresh(server: Server) -> None:
    """Look at the files again: another program may have written one."""
    if server.bench is not None and server.bench.desk.refresh():
        server.read_anew()


async def _carried_out(server: Server, command: Command, arguments: Sequence[Any]) -> lsp.WorkspaceEdit | None:
    """Carry out a command in a thread, since it may ask git and the network; tells why it could not be done."""
    if server.bench is None:
        return None
    try:
        done = await asyncio.to_thread(command, server.bench, server.url, [str(one) for one in arguments])
    except MetalworkingError as problem:
        server.tell(str(problem), lsp.MessageType.Error)
        return None
    _refresh(server)
    return done


def _overlap(one: lsp.Range, other: lsp.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def run(config_file: str | None) -> None:
    """Serve over stdin and stdout until the editor goes. What else prints goes to stderr: stdout is the editor's."""
    logging.disable(logging.ERROR)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = Server(config_file)
    try:
        server.start_io(sys.stdin.buffer, out)
    finally:
        server.close()
