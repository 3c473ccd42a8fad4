"""From a locked file to its bytes: the store first, then each transport, and every byte checked."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType

from ..git.proof import Contradiction
from ..quote.blob import LockedFile
from ..quote.diagnostics import Diagnostic, Diagnostics, MetalworkingError, Severity, Unavailable
from ..quote.repo import SELF
from .proofs import Proofs
from .store import Store
from .transport import Transport

_HELD_BYTES = 16 << 20
"""Bytes in memory of files that the store did not take."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Bytes that are the locked file, and who brought them: ``store`` or a transport's name."""

    data: bytes
    via: str


class Resolver:
    """Finds each file once: asked again, it answers the same from the store, without asking a transport. Thread-safe.

    A file that several transports bring wrongly and none rightly is an error; one that nobody can bring is
    Unavailable, for which the page shows a card. *proofs* are asked before the store. Files of ``self`` come from *own*
    and from no other transport.
    """

    def __init__(
        self,
        store: Store,
        transports: Sequence[Transport],
        proofs: Proofs | None = None,
        own: Transport | None = None,
    ) -> None:
        self._store = store
        self._proofs = proofs
        self._transports = tuple(transports)
        self._own = own
        self._lock = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}
        self._known: dict[LockedFile, str | MetalworkingError] = {}
        self._confirmed: set[LockedFile] = set()
        self._held: OrderedDict[LockedFile, bytes] = OrderedDict()
        self._held_size = 0
        self.warnings = Diagnostics()
        """Wrong bytes that a transport brought while a later one brought the right ones."""

    def resolve(self, file: LockedFile) -> Resolved:
        """Return the verified bytes of *file*.

        Raises MetalworkingError ``wrong-bytes`` when bytes came and none were right, Unavailable ``unavailable``
        with each transport's reason when none came, and Contradiction when a clone says that the lock is wrong.
        """
        with self._lock:
            busy = self._busy.setdefault(file.key.repo, threading.Lock())
        with busy:  # one at a time within a repository: one process, one archive, one connection
            answer = self._known.get(file)
            data = self._again(file) if isinstance(answer, str) else None
            if isinstance(answer, str) and data is not None:
                return Resolved(data, answer)
            if not isinstance(answer, MetalworkingError):
                try:
                    resolved = self._find(file)
                except MetalworkingError as error:
                    answer = error
                else:
                    with self._lock:
                        self._known[file] = resolved.via
                    return resolved
                with self._lock:
                    self._known[file] = answer
        found = answer.diagnostic
        kind = Unavailable if isinstance(answer, Unavailable) else MetalworkingError
        raise kind(found.code, found.message, found.hint)

    def via(self, file: LockedFile) -> str:
        """Return from where *file* came, without reading it again. Raises as *resolve* does."""
        with self._lock:
            answer = self._known.get(file)
        return answer if isinstance(answer, str) else self.resolve(file).via

    def confirm(self, file: LockedFile) -> None:
        """Raise MetalworkingError when what lies on this machine says that the lock is wrong about *file*.

        For files whose bytes nobody asks for, since they are only cited.
        """
        if self._proofs is None:
            return
        with self._lock:
            known = file in self._confirmed
        if not known:
            self._proofs.whole(file)
            with self._lock:
                self._confirmed.add(file)

    def prefetch(self, files: Iterable[LockedFile], *, max_workers: int = 4) -> None:
        """Resolve *files* ahead of need: repositories in parallel, each repository's files one after the other.

        Problems are kept for ``resolve``, which raises them where the quotation stands.
        """
        by_repo: dict[str, list[LockedFile]] = {}
        for file in dict.fromkeys(files):
            by_repo.setdefault(file.key.repo, []).append(file)
        if by_repo:
            with ThreadPoolExecutor(min(max_workers, len(by_repo)), "metalworking") as pool:
                list(pool.map(self._prefetch_repo, by_repo.values()))

    def counts(self) -> dict[str, int]:
        """Return how many files came from ``store``, each transport, nobody (``cards``) and wrongly (``errors``)."""
        with self._lock:
            tally = Counter(_column(answer) for answer in self._known.values())
        names = ["store", *(transport.name for transport in self._all), "cards", "errors"]
        return {name: tally[name] for name in names}

    def close(self) -> None:
        """Close the transports; may be called twice."""
        for transport in self._all:
            transport.close()
        if self._proofs is not None:
            self._proofs.close()

    def __enter__(self) -> Resolver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prefetch_repo(self, files: list[LockedFile]) -> None:
        for file in files:
            try:
                self.resolve(file)
            except MetalworkingError:
                continue  # kept in self._known

    @property
    def _all(self) -> Sequence[Transport]:
        return self._transports if self._own is None else (*self._transports, self._own)

    def _for(self, file: LockedFile) -> Sequence[Transport]:
        if file.key.repo == SELF:
            return (self._own,) if self._own is not None else ()
        return self._transports

    @property
    def unkept(self) -> str:
        """Why the store did not take what was brought; "" where it took all."""
        return self._store.folder.refused

    def _again(self, file: LockedFile) -> bytes | None:
        """Return the bytes of a file that was found before, from the store or from what the store did not take."""
        with self._lock:
            held = self._held.get(file)
        return self._store.get(file) if held is None else held

    def _hold(self, file: LockedFile, data: bytes) -> None:
        """Keep *data*, which the store did not take, as long as there is room."""
        with self._lock:
            if file not in self._held:
                self._held[file] = data
                self._held_size += len(data)
            while self._held_size > _HELD_BYTES and len(self._held) > 1:
                self._held_size -= len(self._held.popitem(last=False)[1])

    def _find(self, file: LockedFile) -> Resolved:
        if self._proofs is not None:
            self._proofs.here(file)  # what contradicts the lock wins over bytes that match it
        data = self._store.get(file)
        if data is not None:
            return Resolved(data, "store")
        reasons: list[str] = []
        wrong: list[str] = []
        for transport in self._for(file):
            try:
                data = transport.get(file)
            except Contradiction:
                raise  # git itself says that the lock is wrong: bytes that match it are no better
            except MetalworkingError as error:
                found = error.diagnostic
                heard = reasons if found.severity is Severity.UNAVAILABLE else wrong
                heard.append(f"{transport.name}: {found.message}")
                continue
            problem = file.mismatch_told(data)
            if problem is not None:
                wrong.append(f"{transport.name}: {problem}")
                continue
            if not self._store.put(file, data):
                self._hold(file, data)
            self._warn(file, wrong, transport.name)
            return Resolved(data, transport.name)
        if wrong:
            hint = "if sources.lock is in doubt: metalworking lock --verify proves it, lock --update asks git again"
            raise MetalworkingError("wrong-bytes", f"{file.key}: wrong bytes from {'; '.join(wrong)}", hint)
        why = "; ".join(reasons) or "no transport is configured"
        raise Unavailable("unavailable", f"{file.key} could not be read: {why}")

    def _warn(self, file: LockedFile, wrong: list[str], name: str) -> None:
        with self._lock:
            for problem in wrong:
                message = f"{file.key}: wrong bytes from {problem}; {name} brought the right ones"
                self.warnings.add(Diagnostic(Severity.WARNING, "wrong-bytes", message))


def _column(answer: str | MetalworkingError) -> str:
    if isinstance(answer, str):
        return answer
    return "cards" if isinstance(answer, Unavailable) else "errors"
