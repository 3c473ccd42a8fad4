"""How far a download is: a bar on a terminal, one line without one, nothing when quiet."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

import click

from ..deliver.progress import Advance, ignore
from ..quote.diagnostics import printable


class Bar:
    """Reports long steps on *stream* (standard error by default), or nowhere when *quiet*.

    Only one bar is shown at a time: a step that starts during another one is a plain line.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._quiet = quiet
        self._stream = stream
        self._bar = threading.Lock()

    @contextlib.contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator[Advance]:
        """Announce a step of *total* bytes (None: not known) and yield a function that takes bytes done since last."""
        stream = self._stream or sys.stderr
        label = printable(label)  # a file name that an index made up
        if self._quiet:
            yield ignore
        elif total is None or not stream.isatty() or not self._bar.acquire(blocking=False):
            size = f" ({total / 1e6:.1f} MB)" if total else ""
            click.echo(f"{label}{size}", file=stream)
            yield ignore
        else:
            try:
                with click.progressbar(length=total, label=label, file=stream, show_pos=False) as bar:
                    yield bar.update
            finally:
                self._bar.release()
