"""A site's files put together: sources.yml, sources.lock, the store and the transports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock as Mutex
from typing import Any

from ..git.command import clone_url
from ..quote.blob import LockedFile
from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from ..quote.lock import Lock, load_lock
from ..quote.quantities import Quantities
from ..quote.quotation import Quoter
from ..quote.sources import Sources, load_sources
from .progress import SILENT, Progress
from .quantities import read_quantities
from .resolver import Resolver
from .store import Store, default_root
from .transport import Transport
from .transports.checkout import Checkout

TRANSPORTS = ("checkout", "package", "raw")
"""The order that a build uses."""
KNOWN_TRANSPORTS = (*TRANSPORTS, "git")


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are. Paths are absolute; ``store`` None is the user's cache folder."""

    root: Path
    sources: Path
    lock: Path
    quantities: Path
    code: Path
    store: Path | None = None
    transports: tuple[str, ...] = TRANSPORTS
    offline: bool = False
    url: Callable[[str], str] = clone_url
    """Where git fetches a repository from."""

    @classmethod
    def of(cls, options: Mapping[str, Any], *, base: Path | None = None) -> Settings:
        """Build settings from options named as in mkdocs.yml; relative paths start at *base*, or ``root``.

        Raises MetalworkingError (``config``) for an unknown transport.
        """
        root = (base or Path()).joinpath(options.get("root") or ".").resolve()
        chosen = tuple(options.get("transports") or TRANSPORTS)
        for name in chosen:
            if name not in KNOWN_TRANSPORTS:
                raise MetalworkingError(
                    "config", f"unknown transport {name!r}", f"known: {', '.join(KNOWN_TRANSPORTS)}"
                )
        store = options.get("store")
        return cls(
            root=root,
            sources=root / (options.get("sources") or "sources.yml"),
            lock=root / (options.get("lock") or "sources.lock"),
            quantities=root / (options.get("quantities") or "quantities.yml"),
            code=root / (options.get("code") or "code"),
            store=root / store if store else None,
            transports=chosen,
            offline=bool(options.get("offline")),
        )


@dataclass
class Project:
    """What a build needs to quote. ``problems`` holds what is wrong with the files."""

    settings: Settings
    sources: Sources
    lock: Lock
    resolver: Resolver
    problems: list[Diagnostic] = field(default_factory=list)
    quantities: Quantities = field(default_factory=Quantities)

    def __post_init__(self) -> None:
        self.quoter = Quoter(self.sources, self.lock, self.resolver)
        self.problems += self._uncited()

    def _uncited(self) -> Iterator[Diagnostic]:
        """Yield what is wrong with the citations of quantities."""
        for source, place in self.quantities.citations():
            try:
                self.quoter.cite(source.citation)
            except MetalworkingError as problem:
                yield problem.diagnostic.at(place)

    @classmethod
    def load(cls, settings: Settings, *, progress: Progress = SILENT) -> Project:
        """Read sources.yml, sources.lock and quantities.yml; what is wrong is in ``problems``, nothing is raised."""
        problems: list[Diagnostic] = []
        sources, lock = Sources(path=settings.sources.name), Lock(path=settings.lock.name)
        try:
            text = settings.sources.read_text(encoding="utf-8")
            sources, found = load_sources(text, settings.sources.name)
            problems += found
        except FileNotFoundError:
            pass  # A site without quotations needs none; the first directive says what is missing.
        except MetalworkingError as problem:
            problems.append(problem.diagnostic)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.sources, error))
        try:
            lock, found = load_lock(settings.lock.read_text(encoding="utf-8"), settings.lock.name)
            problems += found
        except FileNotFoundError:
            pass
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.lock, error))
        store = Store(settings.store or default_root())
        quantities = Quantities(path=settings.quantities.name)
        try:
            quantities, found = read_quantities(settings.quantities, store)
            problems += found
        except MetalworkingError as problem:
            problems.append(problem.diagnostic)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.quantities, error))
        transports = make_transports(settings, sources, lock, store, progress)
        return cls(settings, sources, lock, Resolver(store, transports), problems, quantities)

    def close(self) -> None:
        """Release git processes, archives and connections."""
        self.resolver.close()


class Deferred:
    """A transport that is made when it is first asked.

    The libraries of the network transports take a quarter of a second to import; a build whose store is warm asks
    none of them.
    """

    def __init__(self, name: str, make: Callable[[], Transport]) -> None:
        self.name = name
        self._make = make
        self._made: Transport | None = None
        self._mutex = Mutex()

    def get(self, file: LockedFile) -> bytes:
        """Return what the transport returns; raises what it raises."""
        with self._mutex:
            if self._made is None:
                self._made = self._make()
        return self._made.get(file)

    def close(self) -> None:
        """Close the transport, if it was made."""
        if self._made is not None:
            self._made.close()


def make_transports(
    settings: Settings, sources: Sources, lock: Lock, store: Store, progress: Progress
) -> Sequence[Transport]:
    """Return the transports in their configured order."""

    def package() -> Transport:
        from .transports.package import Package

        return Package(
            sources.packages(),
            lock.archives,
            store,
            wanted=lock.files.values(),
            progress=progress,
            offline=settings.offline,
        )

    def raw() -> Transport:
        from .transports.raw import Raw

        return Raw(offline=settings.offline)

    def remote() -> Transport:
        from .transports.remote import Remote

        return Remote(wanted=lock.files.values(), url=settings.url, offline=settings.offline)

    makers: dict[str, Callable[[], Transport]] = {
        "checkout": lambda: Checkout(settings.code),
        "package": package,
        "raw": raw,
        "git": remote,
    }
    return [Deferred(name, makers[name]) for name in settings.transports]


def _unreadable(path: Path, error: Exception) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "config", f"cannot read it: {reason_of(error)}", "", Location(path.name))


def reason_of(error: Exception) -> str:
    """Return why a file could not be read or written, in a few words."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
