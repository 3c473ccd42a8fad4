"""A site at two times: as its files are, and as they were at a revision of its repository."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mkdocs.utils import is_markdown_file

from ...deliver.project import Project
from ...git.cat_file import CatFile
from ...git.command import Git, GitError
from ...git.links import way_out
from ...git.objects import MissingObject, files_below, resolve_path
from ...git.places import Premises, enclosing_work_tree
from ...quote.blob import MAX_FILE
from ...quote.diagnostics import MetalworkingError
from ...quote.lock import Lock, load_lock
from ...quote.sources import Sources
from ...quote.sources_file import load_sources
from ...quote.texts import read_text


@dataclass(frozen=True)
class Version:
    """A site's two files and the texts of its pages, at one time."""

    sources: Sources
    lock: Lock
    pages: Mapping[str, str]


def at_present(project: Project, docs: Path) -> Version:
    """Return the site as its files below *docs* are."""
    pages = {
        _label(path, project.settings.root): _text(path, project.settings.premises)
        for path in sorted(docs.rglob("*"))
        if is_markdown_file(path.name) and path.is_file()
    }
    return Version(project.sources, project.lock, pages)


def _text(path: Path, premises: Premises) -> str:
    """Return the text of a page; nothing of one that is not read, of which `check` tells in its own words."""
    try:
        return "" if path.is_symlink() and way_out(path, premises) else read_text(path, errors="replace")
    except OSError:
        return ""


def at_revision(project: Project, docs: Path, revision: str) -> Version:
    """Return the site as it was at *revision*. Raises MetalworkingError (``changed-from``) when it cannot be read."""
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

        def text(path: Path) -> str:
            if not path.is_relative_to(top):
                return ""
            entry = resolve_path(objects, commit, path.relative_to(top).as_posix())
            if entry is None or entry.kind not in ("file", "executable"):
                return ""
            return objects.verified(entry.oid, kind="blob", max_bytes=MAX_FILE).decode("utf-8", "replace")

        try:
            sources = text(settings.sources)
            pinned = load_sources(sources, settings.sources.name)[0] if sources else Sources()
            folder = docs.relative_to(top).as_posix() if docs.is_relative_to(top) else ""
            names = [name for name in files_below(objects, commit, folder) if is_markdown_file(name)]
            pages = {_label(top / name, settings.root): text(top / name) for name in names}
            return Version(pinned, load_lock(text(settings.lock))[0], pages)
        except MissingObject as error:
            hint = "in a workflow, check out with fetch-depth: 0"
            raise MetalworkingError("changed-from", error.diagnostic.message, hint) from None


def _label(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
