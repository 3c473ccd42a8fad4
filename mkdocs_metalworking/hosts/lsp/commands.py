"""What the server does beside edits of texts: a file is locked, a commit pinned, changed lines of one's own accepted.

The first two may ask git and a network.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from lsprotocol import types as lsp

from ...deliver.project import Project
from ...git.places import find_clone
from ...quote.blob import HEX_ID, FileKey
from ...quote.diagnostics import MetalworkingError
from ...quote.repo import SELF
from ...quote.selection import Selection
from ..mkdocs.accepting import acceptance
from ..mkdocs.site import Site
from ..one_file import lock_file, lock_region
from ..pinning import entry_for, with_entry
from .editing import Bench
from .mending import smallest_edit

Url = Callable[[str], str]


def lock(bench: Bench, url: Url, words: list[str]) -> None:
    """Lock a file, and the named lines of it, if any are named. Raises MetalworkingError."""
    repo, commit, path, named = (*words, "", "", "", "")[:4]
    site = bench.desk.site
    settings = replace(site.settings(offline=False), url=url)
    with closing(Project.load(settings, drafts=dict(bench.desk.drafts))) as project:
        pin = project.sources.pin(repo, commit)
        working = pin.repo == SELF and not pin.commit
        file = None if working else lock_file(url, project, pin, path)
        selection = Selection.parse(named) if named else None
        if selection is not None:
            lock_region(project, FileKey(pin.repo, pin.commit, path), selection, file)


def pin(bench: Bench, url: Url, words: list[str]) -> lsp.WorkspaceEdit:
    """Return the edit that adds a commit to sources.yml. Raises MetalworkingError."""
    repo, commit = (*words, "", "")[:2]
    settings = bench.desk.site.settings(offline=False)
    if not HEX_ID.match(commit):
        where = (
            "the clone has no such commit"
            if find_clone(settings.code, repo, settings.premises)
            else "no clone is here to ask"
        )
        raise MetalworkingError("not-pinned", f"{commit} is the beginning of a commit: {where}", "write all its digits")
    if settings.offline and find_clone(settings.code, repo, settings.premises) is None:
        raise MetalworkingError(
            "offline", f"the site is offline, and {repo} is not cloned", "clone it, or write the entry"
        )
    entry = entry_for(repo, commit, url(repo), settings)
    old = bench.desk.text(settings.sources)
    new = with_entry(old if old or settings.sources.exists() else None, entry, settings.sources.name)
    return bench.workspace_edit([(settings.sources, [smallest_edit(old, new)])])


def accept(bench: Bench, _url: Url, words: list[str]) -> lsp.WorkspaceEdit:
    """Take the lines quoted from a file as they are now; returns the edit that moves what counts them.

    Raises MetalworkingError.
    """
    desk = bench.desk
    site = Site.load(desk.site.config.config_file_path, start=desk.site.start)
    site.drafts = dict(desk.drafts)
    with closing(site.project(offline=True)) as project:
        made = acceptance(site, project, words, desk.text)
        if made.found.failed:
            raise made.found.failed[0][1]
        if any(path in bench.typed or desk.text(path) != text for path, text in made.texts.items()):
            raise MetalworkingError("files", "a page was changed while it was read", "nothing was written; ask again")
        if made.news:
            made.write(project, pages=False)
    return bench.workspace_edit(made.edits.items())
