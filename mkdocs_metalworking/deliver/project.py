"""A site's files put together: sources.yml, sources.lock, the store and the transports."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..git.links import hold_inside, place_of
from ..git.places import Premises, Tracked, enclosing_work_tree, found_by, leading_out
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
_USUAL = {"sources": "sources.yml", "lock": "sources.lock", "quantities": "quantities.yml", "code": "code"}
"""Where things are that mkdocs.yml says nothing of."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are. Paths are absolute and plain; ``store`` None is the user's cache folder."""

    premises: Premises
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
        if self.store is None:  # what lies in the cache of the person came with no site
            return place_of(default_root(), Premises.of(self.premises.site))
        return place_of(self.store, self.premises)

    def path(self, name: str) -> Path:
        """Return what mkdocs.yml calls *name*."""
        return Path(os.path.normpath(self.root / name))

    def text(self, path: Path, drafts: Mapping[Path, str] | None = None) -> str:
        """Return the text of a file of the site, of *drafts* where it has one, with LF as the only line end.

        Raises OSError and UnicodeDecodeError, and MetalworkingError (``files``) behind somebody's link that leads out.
        """
        if drafts is not None and path in drafts:
            return drafts[path]
        return read_text(self.inside(path))

    def inside(self, path: Path, told: Sequence[Mapping[str, object]] = ()) -> Path:
        """Return *path*, a file that is read; raises MetalworkingError (``files``) behind such a link.

        *told* are the configurations of extensions that found it, by what may have come with the site.
        """
        return hold_inside(path, self.premises.with_all(found_by(told, path) if told else ()))

    @classmethod
    def of(
        cls, options: Mapping[str, Any], *, base: Path | None = None, home: str = "", named: Iterable[str] = ()
    ) -> Settings:
        """Build settings from options named as in mkdocs.yml; relative paths start at *base*, or ``root``.

        *named* are other paths that it names. What any of them holds may have come with the site.
        Raises MetalworkingError (``config``) for an unknown transport, and a store in the home of nobody.
        """
        site, start = base or Path(), str(options.get("root") or ".")
        root = site.joinpath(start).resolve()
        chosen = tuple(options.get("transports") or ORDER)
        for name in chosen:
            if name not in KNOWN:
                raise MetalworkingError("config", f"unknown transport {name!r}", f"known: {', '.join(KNOWN)}")
        store = options.get("store")
        try:
            store = Path(store).expanduser() if store else None
        except RuntimeError:
            raise MetalworkingError("config", f"no folder for the store: {store}", "write another store:") from None
        names = [str(options.get(name) or usual) for name, usual in _USUAL.items()]
        sources, lock, quantities, code = (Path(os.path.normpath(root / one)) for one in names)
        return cls(
            premises=Premises.of(site, (start, *(os.path.join(start, one) for one in leading_out(options)), *named)),
            root=root,
            sources=sources,
            lock=lock,
            quantities=quantities,
            code=code,
            store=Path(os.path.normpath(root / store)) if store else None,
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
            text = settings.text(settings.sources, drafts)
            sources, found = load_sources(text, settings.sources.name)
            problems += found
        except FileNotFoundError:
            pass  # A site without quotations needs none; the first directive says what is missing.
        except MetalworkingError as problem:
            problems.append(problem.diagnostic)
        except (OSError, UnicodeDecodeError) as error:
            problems.append(_unreadable(settings.sources, error))
        try:
            lock, found = load_lock(settings.text(settings.lock, drafts), settings.lock.name)
            problems += found
        except FileNotFoundError:
            pass
        except MetalworkingError as problem:
            problems.append(problem.diagnostic)
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
        quantities, found = _quantities(settings, drafts.get(settings.quantities))
        problems += found
        proofs = Proofs(store, settings.code, premises=settings.premises, mirrors=sources.mirrors(), own=settings.own)
        reach = Reach(
            settings.premises,
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


def _quantities(settings: Settings, draft: str | None) -> tuple[Quantities, list[Diagnostic]]:
    path = settings.quantities
    try:
        return read_quantities(path if draft is not None else settings.inside(path), draft)
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
