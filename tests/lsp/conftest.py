"""A small site in every form that the language server knows, and a real client that drives the real command."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.support import ASK, Bench

KERNEL = "".join(f"line {n}\n" for n in range(1, 8)) + "kernel void add() {\n\tout[i] = a[i];\n}\n"
MKDOCS = """\
site_name: Test
plugins:
  - metalworking: {store: store, offline: true, mapping: docs/terms.yml, ASK}
markdown_extensions: [footnotes, md_in_html, attr_list]
nav:
  - index.md
  - First: [one.md, two.md]
""".replace("ASK}", f"{ASK}}}")
REFERENCES = """\
references:
  - key: ada-1843
    title: Notes on the engine
    author: Ada
    date: '1843'
    url: https://example.org/notes
    about: The first notes.
"""
QUANTITIES = """\
quantities:
  m1.bandwidth:
    name: Memory bandwidth
    chip: M1
    value: 68
    unit: GB/s
    kind: reported
    sources: [{cite: 'ada-1843, table 2'}]
  m1.twice: {name: Twice, formula: m1.bandwidth * 2, unit: GB/s}
"""
TERMS = """\
- cuda: __syncthreads
  aliases: [barrier]
  metal: threadgroup_barrier
  verdict: transfers
  page: one
  source: ['ada-1843, barriers', 'acme/kernels:kernels/add.metal#L8']
  code: {cuda: '__syncthreads();', metal: 'threadgroup_barrier(mem_flags::mem_threadgroup);'}
"""
ONE = """\
---
summary: How [=m1.bandwidth] is spent.
cuda:
  term: __syncthreads
  verdict: transfers
  apis: [__syncthreads]
---

# One

<< excerpt {k}:kernels/add.metal#L8-10 hl=9 title="At [=m1.bandwidth]" >>

- L9: The line that counts.

Said [@ada-1843, page 4] and [@acme/kernels:kernels/add.metal#L8]: [=m1.bandwidth]. As in `[@ada-1843]`.

See [two](two.md#below).
"""
TWO = """\
# Two

<< excerpt {k}:kernels/add.metal#L1-2 >>

## Below

Also [@ada-1843]: [=m1.twice].

<!-- mapping-table -->
"""


@dataclass
class Site(Bench):
    """A site that quotes a repository under code/."""

    @property
    def sha(self) -> str:
        return self.commits["acme/kernels"][:7]

    def path(self, name: str) -> Path:
        return self.root / "docs" / name

    def page(self, name: str, text: str) -> str:
        text = text.replace("{k}", f"acme/kernels@{self.sha}")
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8")
        return text


def make_site(root: Path) -> Site:
    site = Site(root, references=REFERENCES)
    files = {"kernels/add.metal": KERNEL, "kernels/mul.metal": KERNEL, "a file.c": "x\n", "LICENSE": "MIT\n"}
    site.add_repo("acme/kernels", files)
    site.add_repo("acme/other", {"LICENSE": "MIT\n", "a.c": "x\n"})
    site.write([("acme/kernels", "kernels/add.metal")])
    (root / "mkdocs.yml").write_text(MKDOCS)
    (root / "quantities.yml").write_text(QUANTITIES)
    site.page("terms.yml", TERMS)
    site.page("index.md", "# Home\n\n[one](one.md)\n")
    site.page("one.md", ONE)
    site.page("two.md", TWO)
    site.page("drawing.svg", "<svg><text>[=m1.bandwidth]</text></svg>\n")
    return site


def path_of(uri: str) -> Path:
    return Path(unquote(uri.removeprefix("file://")))


CACHE = tempfile.TemporaryDirectory()


@dataclass
class Editor:
    """A client of ``metalworking lsp`` that answers one after the other; the clock only ends what hangs."""

    root: Path
    options: tuple[str, ...] = ()
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    versions: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    applied: list[lsp.WorkspaceEdit] = field(default_factory=list)

    diagnostics: dict[str, Sequence[lsp.Diagnostic]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def start(self, encodings: list[str] | None = None) -> Editor:
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = LanguageClient("a test", "1")
        self.client.feature(lsp.WORKSPACE_APPLY_EDIT)(lambda params: self._apply(params))
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._published(params))
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params.message))
        self.do(self._start(encodings))
        return self

    async def _start(self, encodings: list[str] | None) -> None:
        command = (sys.executable, "-m", "mkdocs_metalworking", *self.options, "lsp")
        env = {"XDG_CACHE_HOME": CACHE.name, **os.environ}  # what an editor was opened for is noted there
        await self.client.start_io(*command, cwd=str(self.root), env=env)
        general = lsp.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        asked = lsp.InitializeParams(lsp.ClientCapabilities(general=general), root_uri=self.root.as_uri())
        self.answer = await self.client.initialize_async(asked)
        self.client.initialized(lsp.InitializedParams())

    def _published(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.diagnostics[params.uri] = params.diagnostics

    def _apply(self, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        self.applied.append(params.edit)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    def do(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(60)

    def stop(self) -> None:
        self.do(self.client.shutdown_async(None))
        self.client.exit(None)
        self.do(self.client.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)

    # Documents

    def uri(self, name: str) -> str:
        return (self.root / "docs" / name).as_uri() if not name.endswith(".yml") else (self.root / name).as_uri()

    def open(self, name: str, text: str | None = None) -> str:
        path = self.root / ("docs" if not name.endswith(".yml") else "") / name
        self.texts[name] = path.read_bytes().decode() if text is None else text
        self.versions[name] = 1
        item = lsp.TextDocumentItem(self.uri(name), "markdown", 1, self.texts[name])
        self._later(self.client.text_document_did_open, lsp.DidOpenTextDocumentParams(item))
        return self.texts[name]

    def type(self, name: str, text: str) -> None:
        self.texts[name] = text
        self.versions[name] += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.versions[name], uri=self.uri(name))
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self._later(self.client.text_document_did_change, lsp.DidChangeTextDocumentParams(document, changes))

    def save(self, name: str) -> None:
        document = lsp.TextDocumentIdentifier(self.uri(name))
        self._later(self.client.text_document_did_save, lsp.DidSaveTextDocumentParams(document))

    def close(self, name: str) -> None:
        del self.texts[name]
        document = lsp.TextDocumentIdentifier(self.uri(name))
        self._later(self.client.text_document_did_close, lsp.DidCloseTextDocumentParams(document))

    def _later(self, call: Callable[[Any], None], params: Any) -> None:
        self.loop.call_soon_threadsafe(call, params)

    # Answers

    def told(self, name: str) -> list[lsp.Diagnostic]:
        return list(self.diagnostics.get(self.uri(name), ()))

    def wait(self, name: str, expected: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """Wait until what is told of a file is as *expected*."""

        async def until() -> list[lsp.Diagnostic]:
            while not expected(found := self.told(name)):
                await asyncio.sleep(0.005)
            return found

        try:
            return self.do(until())
        except TimeoutError:
            raise AssertionError(f"{name} has {self.told(name)}; {self.messages}") from None

    def codes(self, name: str, *codes: str) -> list[lsp.Diagnostic]:
        return self.wait(name, lambda found: sorted(str(one.code) for one in found) == sorted(codes))

    def settled(self) -> None:
        """Wait until all pages were read: a question about all of them reads what is left."""
        name = next(iter(self.texts))
        self.ask("text_document_references", lsp.ReferenceParams, name, lsp.Position(0, 0), lsp.ReferenceContext(True))

    def ask(self, call: str, params: type, name: str, position: lsp.Position, *more: Any) -> Any:
        document = lsp.TextDocumentIdentifier(self.uri(name))
        fields = {"text_document": document, "position": position}
        if more:
            fields |= {"context": more[0]} if isinstance(more[0], lsp.ReferenceContext) else {"new_name": more[0]}
        return self.do(getattr(self.client, f"{call}_async")(params(**fields)))

    def at(self, name: str, words: str, by: int = 0) -> lsp.Position:
        """Return the place of the first *words*, and *by* characters behind, in units of UTF-16."""
        offset = self.texts[name].index(words) + by
        before = self.texts[name][:offset].rpartition("\n")
        return lsp.Position(before[0].count("\n") + bool(before[1]), len(before[2].encode("utf-16-le")) // 2)

    def cut(self, name: str, span: lsp.Range) -> str:
        """Return the text of a range."""
        lines = self.texts[name].split("\n")
        assert span.start.line == span.end.line
        raw = lines[span.start.line].encode("utf-16-le")
        return raw[2 * span.start.character : 2 * span.end.character].decode("utf-16-le")

    def complete(self, name: str, text: str) -> list[lsp.CompletionItem]:
        """Type *text* and ask what may follow; returns what is offered."""
        self.type(name, text)
        lines = text.split("\n")
        position = lsp.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)
        return self.ask("text_document_completion", lsp.CompletionParams, name, position).items

    def actions(self, name: str, problem: lsp.Diagnostic) -> dict[str, lsp.CodeAction]:
        document, context = lsp.TextDocumentIdentifier(self.uri(name)), lsp.CodeActionContext([problem])
        asked = lsp.CodeActionParams(document, problem.range, context)
        found = {}
        for one in self.do(self.client.text_document_code_action_async(asked)):
            if isinstance(one, lsp.Command):  # the client's library takes an action that has a command for a command
                told = ast.literal_eval(one.command)
                one = lsp.CodeAction(
                    one.title, command=lsp.Command(told["title"], told["command"], None, told["arguments"])
                )
            found[one.title] = one
        return found

    def carry_out(self, command: lsp.Command) -> None:
        asked = lsp.ExecuteCommandParams(command.command, command.arguments)
        self.do(self.client.workspace_execute_command_async(asked))

    def edited(self, edit: lsp.WorkspaceEdit) -> dict[str, str]:
        """Return the texts that *edit* makes, by the end of their addresses."""
        done = {}
        for uri, edits in (edit.changes or {}).items():
            path = path_of(uri)
            name = path.name
            lines = self.texts.get(name, path.read_text()).split("\n")
            for one in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
                first, last = one.range.start, one.range.end
                text = lines[first.line][: first.character] + one.new_text + lines[last.line][last.character :]
                lines[first.line : last.line + 1] = text.split("\n")
            done[name] = "\n".join(lines)
        return done


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def editor(site: Site) -> Iterator[Editor]:
    editor = Editor(site.root).start()
    yield editor
    editor.stop()
