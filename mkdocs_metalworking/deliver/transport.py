"""Ways to get the bytes of a locked file. None of them is trusted: the resolver checks every byte."""

from __future__ import annotations

from typing import Protocol

from ..quote.blob import LockedFile
from ..quote.diagnostics import Unavailable


class NotDelivered(Unavailable):
    """A transport cannot bring a file; *message* says why, in one line."""


class Transport(Protocol):
    """One way to bring bytes."""

    @property
    def name(self) -> str:
        """The name used in configuration and messages: ``checkout``, ``package`` or ``raw``."""

    def get(self, file: LockedFile) -> bytes:
        """Return bytes said to be *file*; raise NotDelivered when there are none."""

    def close(self) -> None:
        """Release processes, archives and connections; may be called twice."""
