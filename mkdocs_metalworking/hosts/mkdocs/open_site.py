"""A site for a program or a notebook: quoted from, checked, and asked."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from ...quote.diagnostics import Diagnostic, Severity
from ...quote.quotation import Quotation
from .answers import Answers, as_directive
from .desk import Desk


class OpenSite:
    """The site of a mkdocs.yml, read once all pages are needed. Nothing is fetched, and nothing written."""

    def __init__(self, config_file: str | Path | None = None) -> None:
        """Load *config_file*, else mkdocs.yml of the working directory. Raises MetalworkingError (``config``)."""
        self._desk = Desk(str(config_file) if config_file is not None else None)
        self._answers: Answers | None = None

    def quote(self, what: str) -> Quotation:
        """Return the lines that *what* names: a directive, ``owner/name@commit:path#L1-9``, a permalink.

        Raises MetalworkingError for whatever is wrong with it; ``missing`` says why where the bytes cannot be had here.
        """
        if not self._desk.begun:
            self._desk.take(self._desk.prepare())
        return self._desk.project.quoter.quote(as_directive(what))

    def check(self) -> list[Diagnostic]:
        """Return the errors and warnings that ``metalworking check`` prints."""
        self._desk.complete()
        found = self._desk.findings().problems
        return [*found.of(Severity.ERROR), *found.of(Severity.WARNING)]

    def look_up(self, term: str) -> dict[str, Any]:
        """Return the entry of *term* as terms.json has it. Raises MetalworkingError (``unknown``)."""
        return self._ask.look_up(term)

    def quantity(self, key: str) -> dict[str, Any]:
        """Return a quantity with its conditions and sources. Raises MetalworkingError (``quantity``)."""
        return self._ask.quantity(key)

    def search(self, query: str) -> list[dict[str, Any]]:
        """Return the sections that have every word of *query*, the best first."""
        return self._ask.search(query)

    @property
    def _ask(self) -> Answers:
        if self._answers is None:
            self._desk.complete()
            self._answers = Answers(self._desk.reading)
        return self._answers

    def close(self) -> None:
        """Release git processes and archives."""
        self._desk.close()

    def __enter__(self) -> OpenSite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_site(config_file: str | Path | None = None) -> OpenSite:
    """Return the site of *config_file*, else of mkdocs.yml in the working directory. Raises MetalworkingError."""
    return OpenSite(config_file)
