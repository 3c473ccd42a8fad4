"""What changed at a source since its pin: moved, gone, another license, other files. Nothing is fetched but trees."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from ..quote.blob import FileKey
from ..quote.diagnostics import Diagnostic, MetalworkingError, Severity, Unavailable
from ..quote.repo import Repo
from ..quote.sources import Pin, Sources
from .cat_file import CatFile
from .command import Git
from .fetch import Fetched
from .objects import resolve_path
from .upstream import Moved, Upstream, ask_upstream

_SILENT = logging.getLogger("metalworking.drift.fetch")
_SILENT.propagate = False
_SILENT.addHandler(logging.NullHandler())


def drift_report(
    sources: Sources,
    used: Iterable[FileKey],
    url: Callable[[str], str],
    *,
    timeout: float = 120.0,
    max_workers: int = 4,
) -> list[Diagnostic]:
    """Ask the home of every pin and return one finding a line; *used* are the files quoted or cited.

    A home that cannot be asked is a finding too (UNAVAILABLE). *url* maps a repository to what git fetches from.
    """
    paths: dict[tuple[str, str], set[str]] = {}
    for key in used:
        paths.setdefault((key.repo, key.commit), set()).add(key.path)

    def ask(pin: Pin) -> list[Diagnostic]:
        try:
            return list(_drift(pin, sorted(paths.get((pin.repo, pin.commit), ())), url(pin.repo), timeout))
        except Moved as moved:
            return [_finding(pin, "moved", f"the repository is now at {moved.target}", moved.diagnostic.hint)]
        except Unavailable as problem:
            found = problem.diagnostic
            message = f"{pin.repo}: {found.message}"
            return [Diagnostic(found.severity, "unreachable", message, "", pin.location)]
        except MetalworkingError as problem:
            return [_finding(pin, problem.diagnostic.code, problem.diagnostic.message, "")]

    if not sources.pins:
        return []
    with ThreadPoolExecutor(min(max_workers, len(sources.pins)), "metalworking") as pool:
        return [finding for found in pool.map(ask, sources.pins) for finding in found]


def _drift(pin: Pin, paths: list[str], url: str, timeout: float) -> Iterator[Diagnostic]:
    upstream = ask_upstream(url, timeout=timeout)
    if upstream.head == pin.commit:
        return
    at_pin = _trees(url, pin.commit, {pin.license_file, *paths} if pin.license else set(paths), timeout)
    if isinstance(at_pin, MetalworkingError):
        # The ids of the lock would do, but the reader of the page could not follow its links.
        message = f"commit {pin.short} can no longer be fetched ({at_pin.diagnostic.message})"
        yield _finding(pin, "gone", message, _bump(pin))
        return
    at_head = _trees(url, upstream.head, set(at_pin), timeout)
    if isinstance(at_head, MetalworkingError):
        raise at_head
    yield from _changes(pin, paths, at_pin, at_head, upstream)


def _changes(
    pin: Pin, paths: list[str], before: Mapping[str, str], now: Mapping[str, str], upstream: Upstream
) -> Iterator[Diagnostic]:
    if pin.license:
        old, new = before[pin.license_file], now[pin.license_file]
        if not old:
            hint = "name the file with license_file:"
            yield _finding(pin, "license", f"commit {pin.short} has no {pin.license_file}", hint)
        elif old != new:
            what = "changed" if new else "is gone"
            hint = f"read it: {Repo.named(pin.repo).page}/tree/{upstream.head}"
            yield _finding(pin, "license", f"{pin.license_file} {what} upstream since {pin.short}", hint)
    for path in paths:
        if before[path] != now[path]:
            what = "changed" if now[path] else "is gone"
            yield _finding(pin, "drift", f"{path} {what} upstream since {pin.short}", _bump(pin))


def _trees(url: str, commit: str, paths: set[str], timeout: float) -> dict[str, str] | MetalworkingError:
    """Return the object id of each path at *commit*, "" where there is none, or why the commit cannot be had."""
    try:
        with (
            Fetched(url, commit, timeout=timeout, logger=_SILENT) as fetched,
            closing(CatFile(Git(fetched.git_dir, timeout=timeout))) as objects,
        ):
            entries = {path: resolve_path(objects, commit, path) for path in paths}
    except MetalworkingError as problem:
        return problem
    return {path: entry.oid if entry else "" for path, entry in entries.items()}


def _finding(pin: Pin, code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(Severity.WARNING, code, f"{pin.repo}: {message}", hint, pin.location)


def _bump(pin: Pin) -> str:
    return f"metalworking bump {pin.repo} --dry-run shows what moves"
