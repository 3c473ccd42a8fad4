"""How long an editor and a coding agent wait: from a keystroke to what ``check`` says of it, for a list, for a term."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from pygls.lsp.client import LanguageClient

from benchmarks.measure import BOOK, Bench, Row

OURS = (sys.executable, "-m", "mkdocs_metalworking")


class Writer:
    """An editor's client that types at the end of a page and waits for what is told of that line."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.told: dict[str, list[str]] = {}
        self.news = asyncio.Event()
        self.version = 0
        self.client = LanguageClient("bench", "1")
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._hear(params))

    def _hear(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.told[params.uri] = [one.message for one in params.diagnostics]
        self.news.set()

    async def start(self) -> None:
        await self.client.start_io(*OURS, "lsp", cwd=str(self.site))
        asked = lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=self.site.as_uri())
        await self.client.initialize_async(asked)
        self.client.initialized(lsp.InitializedParams())

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def type(self, uri: str, text: str, expected: Callable[[list[str]], bool]) -> float:
        """Return the milliseconds until what is told of the page at *uri* is as *expected*."""
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        start = time.perf_counter()
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        while not expected(self.told.get(uri, [])):
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 300)
        return (time.perf_counter() - start) * 1000

    async def complete(self, uri: str, text: str) -> float:
        """Return the milliseconds until an editor has the list of what may follow *text*."""
        lines = text.split("\n")
        place = lsp.Position(len(lines) - 1, len(lines[-1]))
        start = time.perf_counter()
        asked = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), place)
        await self.client.text_document_completion_async(asked)
        return (time.perf_counter() - start) * 1000


async def written(site: Path, pages: list[Path], strokes: int) -> tuple[list[float], list[float], list[float]]:
    """Return the milliseconds of each keystroke on *pages*, the slowest of each page, and of each list."""
    writer = Writer(site)
    await writer.start()
    typed, slowest, lists = [], [], []
    for page in pages:
        uri, text = page.as_uri(), page.read_text(encoding="utf-8")
        writer.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "markdown", 0, text))
        )
        found = []
        for number in range(strokes + 1):
            line = f"{text}\n<< excerpt nobody{number} >>\n"
            found.append(
                await writer.type(uri, line, lambda told, n=number: any(f"'nobody{n}'" in one for one in told))
            )
            lists.append(await writer.complete(uri, f"{text}\n[@"))
        typed += found[1:]  # the first waits for the site to be read
        slowest.append(max(found[1:]))
        await writer.type(uri, text, lambda told: not any("'nobody" in one for one in told))
    await writer.stop()
    return typed, slowest, lists[1:]


async def asked(site: Path, questions: list[tuple[str, dict[str, Any]]], rounds: int) -> list[float]:
    """Return the milliseconds of each answer of the context server, once it has read the site."""
    where = StdioServerParameters(command=OURS[0], args=[*OURS[1:], "mcp"], cwd=str(site))
    found = []
    async with Client(stdio_client(where)) as client:
        await client.call_tool("search", {"query": "page"})
        for _ in range(rounds):
            for tool, arguments in questions:
                start = time.perf_counter()
                await client.call_tool(tool, arguments)
                found.append((time.perf_counter() - start) * 1000)
    return found


def servers(bench: Bench) -> Iterator[Row]:
    """What an editor and a coding agent wait for on the book, in milliseconds, with a goal for a keystroke."""
    site = bench.site("metalworking") if bench.small else BOOK
    pages = sorted((site / "docs").rglob("*.md"), key=lambda page: page.stat().st_size)
    chosen = pages[:2] if bench.small else pages[:: max(1, len(pages) // 12)] + pages[-1:]
    typed, slowest, lists = asyncio.run(written(site, chosen, 1 if bench.small else 5))
    questions: list[tuple[str, dict[str, Any]]] = [("search", {"query": "page"}), ("page", {"page": pages[-1].stem})]
    if not bench.small:
        questions = [("look_up", {"term": "warp"}), ("quantity", {"key": "m1.fp32"}), ("chip", {"name": "M4 Max"})]
    answers = asyncio.run(asked(site, questions, bench.repeats))
    goal = None if bench.small else 150.0
    yield Row("keystroke to what is wrong, pages of the book", "", goal, typed, unit="ms")
    yield Row("the same, the slowest keystroke of each page", "", goal, slowest, unit="ms")
    yield Row("completion of a citation, the book", "", None, lists, unit="ms")
    yield Row("an answer of the context server, the book", "", None, answers, unit="ms")
