"""A site's files put together: sources.yml, sources.lock, the store and the transports."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..git.links import place_of
from ..git.places import Tracked, enclosing_work_tree
from ..git.worktree import WorkTree
from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity, printable, reason_of
from ..quote.lock import Lock, load_lock
from ..quote.quantities import Quantities
from ..quote.quoter import Quoter
from ..quote.repo import SELF, clone_url
from ..quote.sources import Sources
from ..quote.sources_file import load_sources
from ..quote.texts import read_text
from .progress import SILENT, Progress
from .proofs import Proofs
from .quantities import read_quantities
from .resolver import Resolver
from .store import Store, default_root
from .transports import KNOWN, ORDER, Reach, make_transports
from .transports.own import Own

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are. Paths are absolute; ``store`` None is the user's cache folder."""

    root: Path
    sources: Path
    lock: Path
    quantities: Path
    code: Path
    store: Path | None = None
    transports: tuple[str, ...] = ORDER
    offline: bool = False
    url: Callable[[str], str] = clone_url
    """Where git fetches a repository from."""
    home: str = ""
    """The name under which mkdocs.yml says that the site's own repository is published; "" where it does not."""

    @property
    def own(self) -> Mapping[str, Path]:
        """The git directory that the site lies in, by the names that it answers for: its commits need no network.

        ``repo:`` of ``self`` is none of them: sources.yml is trusted with no proof, and whoever sends a change may
        write another repository's name there.
        """
        found = enclosing_work_tree(self.root)
        return dict.fromkeys((SELF, *((self.home,) if self.home else ())), found[1]) if found else {}

    @property
    def kept(self) -> Path:
        """The folder of the store.

        Raises MetalworkingError (``config``) in the home of nobody, and (``not-written``) where a link on the way
        may be somebody else's: the store would be written, and swept, in somebody else's folder.
        """
        return place_of(self.store or default_root(), self.root)

    @classmethod
    def of(cls, options: Mapping[str, Any], *, base: Path | None = None, home: str = "") -> Settings:
        """Build settings from options named as in mkdocs.yml; relative paths start at *base*, or ``root``.

        Raises MetalworkingError (``config``) for an unknown transport, and a store in the home of nobody.
        """
        root = (base or Path()).joinpath(options.get("root") or ".").resolve()
        chosen = tuple(options.get("transports") or ORDER)
        for name in chosen:
            if name not in KNOWN:
                raise MetalworkingError("config", f"unknown transport {name!r}", f"known: {', '.join(KNOWN)}")
        store = options.get("store")
        try:
            store = Path(store).expanduser() if store else None
        except RuntimeError:
            raise MetalworkingError("config", f"no folder for the store: {store}", "write another store:") from None
        return cls(
            root=root,
            sources=root / (options.get("sources") or "sources.yml"),
            lock=root / (options.get("lock") or "sources.lock"),
            quantities=root / (options.get("quantities") or "quantities.yml"),
            code=root / (options.get("code") or "code"),
            store=root / store if store else None,
            transports=chosen,
            offline=bool(options.get("offline")),
            home=home,
        )


@dataclass
class Project:
    """What a build needs to quote. ``problems`` holds what is wrong with the files."""

    settings: Settings
    sources: Sources
    lock: Lock
    resolver: Resolver
    proofs: Proofs
    problems: list[Diagnostic] = field(default_factory=list)
    quantities: Quantities = field(default_factory=Quantities)
    worktree: WorkTree | None = None
    """The work tree that the site lies in, where sources.yml says that ``self`` is quoted."""

    def __post_init__(self) -> None:
        self.quoter = Quoter(self.sources, self.lock, self.resolver, self.worktree, home=self.settings.home)
        self._cite_quantities()

    def _cite_quantities(self) -> None:
        """Check the sources of quantities; those that cannot be cited are kept from the pages."""
        wrong: dict[str, Diagnostic] = {}
        for key, source, place in self.quantities.citations():
            try:
                self.quoter.cite(source.citation)
            except MetalworkingError as problem:
                wrong.setdefault(key, problem.diagnostic.at(place))
                self.problems.append(problem.diagnostic.at(place))
        self.quantities = self.quantities.without(wrong)

    @classmethod
    def load(
        cls, settings: Settings, *, progress: Progress = SILENT, drafts: Mapping[Path, str] | None = None
    ) -> Project:
        """Read sources.yml, sources.lock and quantities.yml; what is wrong is in ``problems``, nothing is raised.

        *drafts*, by path, stand in the place of files.
        """
        problems: list[Diagnostic] = []
        drafts = drafts or {}
        sources, lock = Sources(path=settings.sources.name), Lock(path=settings.lock.name)
        try:
            text = _text(settings.sources, drafts)
            sources, found = load_sources(text, settings.sources.name)
            problems += found
        except FileNotFoundError:
            pass  # A site without quotations needs none; the first directive says what is missing.
        except MetalworkingError as problem:
            problems.append(problem.diagnostic)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.sources, error))
        try:
            lock, found = load_lock(_text(settings.lock, drafts), settings.lock.name)
            problems += found
        except FileNotFoundError:
            pass
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.lock, error))
        place = settings.kept
        tracked = Tracked(place)
        store = Store(place, proves=not tracked.holds())
        if tracked.unknown:  # its bytes are hashed, and a site need not be built where git is
            told = "nobody can tell whether the store %s came with the site's repository, so it proves nothing: %s"
            _LOG.info(f"metalworking: {told}", printable(place.name), printable(tracked.unknown))
        elif tracked.holds():
            problems.append(_brought(place))
        quantities, found = _quantities(settings.quantities, drafts.get(settings.quantities))
        problems += found
        proofs = Proofs(store, settings.code, site=settings.root, mirrors=sources.mirrors(), own=settings.own)
        reach = Reach(
            settings.root,
            settings.code,
            sources,
            lock,
            store,
            proofs,
            settings.url,
            settings.own,
            settings.offline,
            progress,
        )
        own, worktree = None, None
        if sources.own is not None:
            tree = enclosing_work_tree(settings.root)
            own = Own(tree[1] if tree else None)
            worktree = WorkTree(*tree, kept=lambda blob: store.git_object(SELF, blob, "blob")) if tree else None
        resolver = Resolver(store, make_transports(settings.transports, reach), proofs, own)
        return cls(settings, sources, lock, resolver, proofs, problems, quantities, worktree)

    @property
    def watched(self) -> list[Path]:
        """The files of the working tree that were quoted so far."""
        return [self.worktree.top / path for path in sorted(self.quoter.watched)] if self.worktree else []

    def close(self) -> None:
        """Release git processes, archives and connections."""
        self.resolver.close()
        if self.worktree is not None:
            self.worktree.close()


def _text(path: Path, drafts: Mapping[Path, str]) -> str:
    return drafts[path] if path in drafts else read_text(path)


def _quantities(path: Path, draft: str | None) -> tuple[Quantities, list[Diagnostic]]:
    try:
        return read_quantities(path, draft)
    except MetalworkingError as problem:
        wrong = problem.diagnostic
    except (OSError, UnicodeDecodeError) as error:
        wrong = _unreadable(path, error)
    return Quantities(path=path.name, failed={"": wrong}), [wrong]


def _brought(store: Path) -> Diagnostic:
    message = f"the store {store.name} came with the site's own repository: anybody may have written what it proves"
    return Diagnostic(Severity.ERROR, "config", message, "git rm -r --cached it, and delete it")


def _unreadable(path: Path, error: Exception) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "config", f"cannot read it: {reason_of(error)}", "", Location(path.name))
