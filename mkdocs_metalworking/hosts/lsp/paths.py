"""The files of a pinned commit, as far as this machine knows them, and their bytes in a place where an editor goes."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path, PurePosixPath

from ...deliver.project import Project
from ...deliver.store_folder import open_plain
from ...quote.blob import FileKey, LockedFile
from ...quote.diagnostics import MetalworkingError
from ...quote.lines import source_lines
from ...quote.repo import SELF, Repo
from ...quote.sources import Pin
from .known_clones import remember

COPIES = "metalworking-copies-"
"""How the folder of the copies begins. None of them is taken for a site."""
_CODE = frozenset(
    (
        *(".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp"),
        *(".m", ".mm", ".metal", ".cu", ".cuh"),
        *(".cl", ".comp", ".frag", ".glsl", ".hlsl", ".slang", ".vert", ".wgsl", ".asm", ".ll", ".mlir", ".s", ".td"),
        *(".py", ".pyi", ".pyx", ".swift", ".rs", ".go", ".zig", ".java", ".kt", ".cs", ".js", ".mjs", ".ts", ".tsx"),
        *(".rb", ".lua", ".jl", ".hs", ".ml", ".ex", ".exs", ".sh", ".css", ".html", ".md", ".rst", ".txt"),
    )
)
"""Endings of code whose servers know a project by the whole name of a file in it, and by no ending."""


def copied_name(key: FileKey) -> str:
    """Return the name of the copy of *key*, which lies in a folder of its own.

    An editor and what it starts know a project by the whole name of a file, such as ``Package.swift`` or
    ``build.gradle``, or by its ending, and some run what stands in it. So a copy is called as no such file is: it
    begins with the commit, and is text unless it is known to be code.
    """
    name = f"{key.commit[:7]}-{key.path.rpartition('/')[2]}"
    return name if PurePosixPath(name).suffix.lower() in _CODE else f"{name}.txt"


class Trees:
    """The paths of commits, each asked once, and read-only copies of files for which no clone has a work tree."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}
        self._copies: Path | None = None

    def paths(self, project: Project, pin: Pin) -> tuple[str, ...]:
        """Return the paths of a commit: of a clone or the store; where neither has its trees, those in the lock."""
        key = (pin.repo, pin.commit)
        locked = (one.path for one in project.lock.files if (one.repo, one.commit) == key)
        if pin.repo == SELF and not pin.commit:
            tree = project.worktree.paths() if project.worktree is not None else ()
            return tuple(sorted({*tree, *(one.path for one, _ in project.lock.regions if one.repo == SELF)}))
        found = self._known.get(key)
        if found is None:
            found = tuple(sorted(project.proofs.paths(pin.repo, pin.commit)))
            if found:
                self._known[key] = found
        return found or tuple(sorted(locked))

    def place(self, project: Project, key: FileKey, file: LockedFile | None) -> Path | None:
        """Return a file with the verified bytes of *key*; None when its bytes cannot be had here.

        That of a clone, where it is what the lock says, else a copy that cannot be written to.
        """
        if key.repo == SELF and not key.commit:
            return project.worktree.top / key.path if project.worktree is not None else None
        if file is None:
            return None
        try:
            data = project.resolver.resolve(file).data
            clone = Repo.named(key.repo).folder(project.settings.code) if key.repo != SELF else None
        except MetalworkingError:
            return None
        if clone is not None and _holds(clone / key.path, data):
            remember(clone, project.settings.root)
            return clone / key.path
        if self._copies is None:
            self._copies = Path(tempfile.mkdtemp(prefix=COPIES))
        alone = hashlib.sha256(f"{key.repo}@{key.commit}:{key.path}".encode()).hexdigest()[:16]
        copy = self._copies / alone / copied_name(key)
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            copy.chmod(0o444)
        return copy

    def close(self) -> None:
        """Remove the copies."""
        if self._copies is not None:
            shutil.rmtree(self._copies, ignore_errors=True)


def _holds(path: Path, data: bytes) -> bool:
    """Tell whether *path* is a file of just these bytes; in a clone it may be a pipe, or a link to what has no end."""
    try:
        with open(path, "rb", opener=open_plain) as stream:
            info = os.fstat(stream.fileno())
            return stat.S_ISREG(info.st_mode) and info.st_size == len(data) and stream.read(len(data) + 1) == data
    except OSError:
        return False


def lines_here(project: Project, file: LockedFile) -> tuple[str, ...]:
    """Return the lines of *file*; none when its bytes cannot be had here."""
    try:
        return source_lines(project.resolver.resolve(file).data, file.key.path)
    except MetalworkingError:
        return ()
