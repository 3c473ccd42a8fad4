"""``metalworking mcp``: the wiring of the context server. It reads a site, answers, and writes and fetches nothing."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from ... import __version__
from ...quote.diagnostics import INVISIBLE, MetalworkingError
from ..at_once import end_at_once
from ..mkdocs.answers import Answers
from ..mkdocs.desk import Desk
from ..mkdocs.fitting import fitting
from .pages import Twins

Words = Annotated[str, Field(min_length=1, max_length=500)]
Limit = Annotated[int, Field(ge=200, le=50_000, description="Characters of the answer, at most")]
_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


class Library:
    """A site that answers, read when it is first asked, and again when its files change. For several threads."""

    def __init__(self, config_file: str | None) -> None:
        """Load mkdocs.yml. Raises MetalworkingError (``config``)."""
        self.desk = Desk(config_file, start=Path.cwd())
        self._mutex = threading.Lock()
        self._of: object = None

    def ask(self, question: Callable[[Answers, Twins], dict[str, Any]], limit: int) -> str:
        """Return the answer to a *question* as JSON of at most *limit* characters. Raises ToolError."""
        try:
            with self._mutex:
                self._read()
                return fitting(question(self._answers, self._twins), limit)
        except MetalworkingError as problem:
            raise ToolError(str(problem)) from None

    def warm(self) -> None:
        """Read the site, so that the first question need not wait for all of it; what is wrong is told to who asks."""
        with contextlib.suppress(MetalworkingError), self._mutex:
            self._read()

    def _read(self) -> None:
        if not self.desk.begun or self.desk.refresh():
            self.desk.take(self.desk.prepare())
        self.desk.complete()
        stamps = self.desk.round.stamps
        if self._of is not stamps:
            self._of, reading = stamps, self.desk.reading
            self._answers, self._twins = Answers(reading), Twins(reading)


def make_server(library: Library) -> MCPServer[Any]:
    """Return the server of a site, with its tools."""
    config = library.desk.site.config
    about = f"{config.site_name}: {config.site_description or 'a site that quotes source code, every line verified'}."
    server: MCPServer[Any] = MCPServer("metalworking", instructions=about, version=__version__, log_level="CRITICAL")

    def tool(what: Callable[..., str]) -> Callable[..., str]:
        return server.tool(annotations=_READ_ONLY, structured_output=False)(what)

    @tool
    def look_up(term: Words, limit: Limit = 4000) -> str:
        """Look up a term of the world you know, such as a CUDA API: verdict, name here, code on both sides, sources."""
        name = _sound(term)
        return library.ask(lambda answers, _: answers.look_up(name), limit)

    @tool
    def page(page: Words, section: Annotated[str, Field(max_length=500)] = "", limit: Limit = 8000) -> str:
        """Read a page as Markdown, by its path or title, or one section of it by its heading.

        Of code, lines in a fence marked `quoted` are verified; other code is the author's own.
        """
        name, part = _sound(page), _sound(section)

        def question(answers: Answers, twins: Twins) -> dict[str, Any]:
            uri = answers.uri(name)
            return {**answers.about(uri), "text": twins.markdown(uri, part)}

        return library.ask(question, limit)

    @tool
    def quantity(key: Words, limit: Limit = 4000) -> str:
        """Read a number by its key: value, unit, chip and method, formula, sources, and the pages that use it."""
        name = _sound(key)
        return library.ask(lambda answers, _: answers.quantity(name), limit)

    @tool
    def chip(name: Words, limit: Limit = 4000) -> str:
        """Read the row of a chip (M4 Max, say) in the site's table, with the sources of its cells."""
        words = _sound(name)

        def question(answers: Answers, twins: Twins) -> dict[str, Any]:
            found = twins.row(words)
            return {**found, "source": answers.about(found["page"])["source"]}

        return library.ask(question, limit)

    @tool
    def excerpt(what: Words, limit: Limit = 8000) -> str:
        """Read verified lines, numbered, with license and permalink: owner/name@commit:path#L1-9, or a permalink."""
        name = _sound(what)
        return library.ask(lambda answers, _: answers.excerpt(name), limit)

    @tool
    def search(query: Words, limit: Limit = 4000) -> str:
        """Search the pages: the sections that have every word, the best first."""
        words = _sound(query)
        return library.ask(lambda answers, _: {"results": answers.search(words)[:50]}, limit)

    return server


def _sound(text: str) -> str:
    """Return *text*; raises ToolError when it has characters that nobody types."""
    if INVISIBLE.search(text) or "\n" in text:
        raise ToolError("a control character, or one that nobody sees, is in an argument")
    return text


def run(config_file: str | None) -> None:
    """Serve over stdin and stdout until the agent goes. What else prints goes to stderr: stdout is the agent's.

    Raises MetalworkingError (``config``).
    """
    logging.disable(logging.CRITICAL)
    library = Library(config_file)
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = os.fdopen(out, "w", encoding="utf-8")
    end_at_once()  # and what it asked git for ends with it
    threading.Thread(target=library.warm, daemon=True).start()
    try:
        make_server(library).run()
    finally:
        library.desk.close()
