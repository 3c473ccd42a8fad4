"""How far a download is, for whoever shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

Advance = Callable[[int], None]
"""Takes how many bytes were done since the last time."""


class Progress(Protocol):
    """Where long steps are reported."""

    def step(self, label: str, total: int | None = None) -> AbstractContextManager[Advance]:
        """Announce a step of *total* bytes (None: not known) and yield a function that takes bytes done since last."""


class _Silent:
    """Reports nothing."""

    @contextlib.contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator[Advance]:  # noqa: ARG002
        """Show nothing of the step."""
        yield ignore


SILENT: Progress = _Silent()
"""Reports nothing."""


def ignore(_done: int) -> None:
    """Take a count and show nothing."""
