"""A site at two times: as its files are, and as they were at a revision of its repository."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import is_markdown_file

from ...deliver.project import Project
from ...git.cat_file import CatFile
from ...git.command import Git, GitError
from ...git.links import way_out
from ...git.objects import MissingObject, Objects, files_below, followed, resolve_path
from ...git.places import Premises, enclosing_work_tree
from ...quote.diagnostics import MetalworkingError
from ...quote.lock import Lock, load_lock
from ...quote.sources import Sources
from ...quote.sources_file import load_sources
from ...quote.texts import LARGEST, read_text
from ..mkdocs.docs_folder import docs_folder, docs_label
from ..mkdocs.outside import premises_of

_FOLDERS = 1_000
"""Folders behind links whose pages of before are known; all pages of more seem to be new."""


@dataclass(frozen=True)
class Version:
    """A site's two files and the texts of its pages, at one time."""

    sources: Sources
    lock: Lock
    pages: Mapping[str, str]


def at_present(project: Project, config: MkDocsConfig) -> Version:
    """Return the site of *config* as its files are; pages by their names in messages."""
    docs, label, premises = Path(config.docs_dir), docs_label(config), premises_of(config)
    pages = {
        f"{label}{path.relative_to(docs).as_posix()}": _text(path, premises)
        for folder, _, names in os.walk(
            docs, followlinks=True
        )  # in which no folder is without an end, once it is loaded
        for path in sorted(Path(folder, name) for name in names if is_markdown_file(name))
        if path.is_file()
    }
    return Version(project.sources, project.lock, pages)


def _text(path: Path, premises: Premises) -> str:
    """Return the text of a page; nothing of one that is not read, of which `check` tells in its own words."""
    try:
        return "" if path.is_symlink() and way_out(path, premises) else read_text(path, errors="replace")
    except OSError:
        return ""


def at_revision(project: Project, config: MkDocsConfig, revision: str) -> Version:
    """Return the site as it was at *revision*, its folders where they are now.

    Raises MetalworkingError (``changed-from``) when it cannot be read.
    """
    settings = project.settings
    tree = enclosing_work_tree(settings.root)
    if tree is None:
        raise MetalworkingError("changed-from", f"{settings.root.name} lies in no git repository")
    top, git_dir = tree
    git = Git(git_dir)
    try:
        commit = git.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    except GitError:
        hint = "in a workflow, check out with fetch-depth: 0"
        raise MetalworkingError("changed-from", f"{revision[:100]!r} is no commit here", hint) from None
    with closing(CatFile(git)) as objects:

        def text(name: str) -> str:
            entry = resolve_path(objects, commit, name)
            if entry is None or entry.kind not in ("file", "executable"):
                return ""
            try:
                return objects.verified(entry.oid, kind="blob", max_bytes=LARGEST).decode("utf-8", "replace")
            except MissingObject:
                raise
            except GitError:  # damaged, or longer than what is read today
                return ""

        try:
            sources = text(followed(objects, commit, _below(top, settings.sources)))
            pinned = load_sources(sources, settings.sources.name)[0] if sources else Sources()
            folder, label = followed(objects, commit, _below(top, docs_folder(config))), docs_label(config)
            pages = {f"{label}{name}": text(at) for name, at in _pages(objects, commit, folder)}
            lock = load_lock(text(followed(objects, commit, _below(top, settings.lock))))[0]
            return Version(pinned, lock, pages)
        except MissingObject as error:
            hint = "in a workflow, check out with fetch-depth: 0"
            raise MetalworkingError("changed-from", error.diagnostic.message, hint) from None


def _pages(objects: Objects, commit: str, docs: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each page below *docs*, and where its text lies: MkDocs goes behind links to folders, too."""
    left: list[tuple[str, str, tuple[str, ...]]] = [("", docs, (docs,))]
    for _ in range(_FOLDERS):
        if not left:
            return
        at, folder, way = left.pop()
        for path in files_below(objects, commit, folder):
            if is_markdown_file(path):
                yield _named(at, folder, path), path
        for path in files_below(objects, commit, folder, ("symlink",)):
            name, to = _named(at, folder, path), followed(objects, commit, path)
            entry = resolve_path(objects, commit, to)
            if entry is None or any(f"{one}/".startswith(f"{to}/") for one in way):
                continue
            if entry.kind == "directory":
                left.append((name, to, (*way, to)))
            elif entry.kind != "symlink" and is_markdown_file(name):
                yield name, to


def _named(at: str, folder: str, path: str) -> str:
    return posixpath.join(at, path.removeprefix(folder).lstrip("/"))


def _below(top: Path, path: Path) -> str:
    """Return where *path* lies in the repository at *top*: what it was there can be told of nothing else."""
    plain = Path(os.path.normpath(path))
    if not plain.is_relative_to(top):
        raise MetalworkingError("changed-from", f"{path.name} lies outside of the site's repository", "keep it in it")
    found = plain.relative_to(top).as_posix()
    return "" if found == "." else found
