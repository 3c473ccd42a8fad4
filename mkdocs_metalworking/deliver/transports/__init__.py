"""The ways to bring bytes. A new one is a module here with a class of ``transport.Transport``, and a maker below.

A module is imported when its transport is first asked: the libraries of the network take a quarter of a second, and a
build whose store is warm asks none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock as Mutex

from ...git.places import Premises
from ...quote.blob import LockedFile
from ...quote.lock import Lock
from ...quote.sources import Sources
from ..progress import SILENT, Progress
from ..proofs import Proofs
from ..store import Store
from ..transport import Transport


@dataclass(frozen=True, slots=True)
class Reach:
    """What a transport may need of a site: where it and its clones lie, what is pinned and locked, how to reach out."""

    premises: Premises
    code: Path
    sources: Sources
    lock: Lock
    store: Store
    proofs: Proofs | None
    url: Callable[[str], str]
    """Where git fetches a repository from."""
    own: Mapping[str, Path] = field(default_factory=dict)
    """Git directories beside the clones, each by a name that it answers for: that of the site itself."""
    offline: bool = False
    progress: Progress = SILENT


def _checkout(reach: Reach) -> Transport:
    from .checkout import Checkout

    return Checkout(reach.code, premises=reach.premises, mirrors=reach.sources.mirrors(), own=reach.own)


def _package(reach: Reach) -> Transport:
    from .package import Package

    return Package(
        reach.sources.packages(),
        reach.lock.archives,
        reach.store,
        wanted=reach.lock.files.values(),
        progress=reach.progress,
        offline=reach.offline,
    )


def _raw(reach: Reach) -> Transport:
    from .raw import Raw

    return Raw(offline=reach.offline)


def _git(reach: Reach) -> Transport:
    from .remote import Remote

    return Remote(
        wanted=reach.lock.files.values(), url=reach.url, proofs=reach.proofs, store=reach.store, offline=reach.offline
    )


_MAKERS: dict[str, Callable[[Reach], Transport]] = {
    "checkout": _checkout,
    "package": _package,
    "raw": _raw,
    "git": _git,
}
KNOWN = tuple(_MAKERS)
"""The names that may stand under ``transports:``."""
ORDER = ("checkout", "package", "raw")
"""The order that a build uses."""


class _Deferred:
    """A transport that is made when it is first asked."""

    def __init__(self, name: str, reach: Reach) -> None:
        self.name = name
        self._reach = reach
        self._made: Transport | None = None
        self._mutex = Mutex()

    def get(self, file: LockedFile) -> bytes:
        """Return what the transport returns; raises what it raises."""
        with self._mutex:
            if self._made is None:
                self._made = _MAKERS[self.name](self._reach)
        return self._made.get(file)

    def close(self) -> None:
        """Close the transport, if it was made."""
        if self._made is not None:
            self._made.close()


def make_transports(names: Sequence[str], reach: Reach) -> Sequence[Transport]:
    """Return the transports *names* in that order."""
    return [_Deferred(name, reach) for name in names]
