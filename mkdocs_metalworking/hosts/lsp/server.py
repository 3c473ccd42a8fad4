"""``metalworking lsp``: the wiring of the language server. What it answers is in the modules beside this one."""

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

from ...quote.diagnostics import MetalworkingError
from ..at_once import end_at_once
from . import commands, completing, going, hovering, keys, mending
from .editing import Bench, met_at
from .session import Session

Command = Callable[[Bench, Callable[[str], str], list[str]], lsp.WorkspaceEdit | None]


def _register(server: Session) -> None:
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

    @server.command(mending.ACCEPT)
    async def accept(*arguments: Any) -> None:
        edit = await _carried_out(server, commands.accept, arguments)
        if edit is not None and edit.changes:
            await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.close()


def _refresh(server: Session) -> None:
    """Look at the files again: another program may have written one."""
    if server.bench is not None and server.bench.desk.refresh():
        server.read_anew()


async def _carried_out(server: Session, command: Command, arguments: Sequence[Any]) -> lsp.WorkspaceEdit | None:
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
    server = Session(config_file)
    _register(server)
    end_at_once(server.close)
    try:
        server.start_io(sys.stdin.buffer, out)
    finally:
        server.close()
