"""Files of the site that lie elsewhere on the machine: a branch can bring a link, whose end MkDocs publishes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mkdocs.structure.files import File
from mkdocs.utils import is_markdown_file

from ...git.links import Objection, way_out
from ...quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity


def refuse_folders(docs: Path, site: Path) -> None:
    """Refuse links to folders below *docs* before MkDocs lists their files: behind one there may be no end.

    Raises MetalworkingError (``files``) for one that leads out of the repository, as *leave_outside* has it, and for
    one that leads to a folder around it.
    """
    for here, folders, _ in os.walk(docs):
        for name in folders:
            path = Path(here, name)
            if not path.is_symlink():
                continue
            where = Location(path.relative_to(docs.parent).as_posix())
            if link := way_out(path, site):
                message = f"{link.why} and leads out of it: {link.reason}"
                raise MetalworkingError("files", message, f"put the files in its place, or {link.mend}", where)
            if Path(here).resolve().is_relative_to(path.resolve()):
                raise MetalworkingError("files", "a link to a folder around it has no end", "take it out", where)


def leave_outside(files: Iterable[File], label: Callable[[File], str], site: Path) -> Iterator[Diagnostic]:
    """Yield an error for each file that is reached by a link which git tracks and which leads out of the repository.

    A page among them is not read: what is there may have no end. What a link leads to that git does not track is the
    person's own affair. Where no repository is around the folder *site* nobody can tell, and none may lead out of it.
    """
    folders: dict[Path, Objection | None] = {}
    for file in files:
        if not file.abs_src_path or file.inclusion.is_excluded():
            continue
        path = Path(file.abs_src_path)
        if path.parent not in folders:
            folders[path.parent] = way_out(path.parent, site)
        if link := folders[path.parent] or (way_out(path, site) if path.is_symlink() else None):
            message = f"{link.why} and leads out of it: {link.reason}"
            hint = f"put the file in its place, or {link.mend}"
            yield Diagnostic(Severity.ERROR, "files", message, hint, Location(label(file)))
            if is_markdown_file(file.src_uri):
                file.content_string = f"# {file.name}\n\nThis page lies elsewhere and is not read.\n"
