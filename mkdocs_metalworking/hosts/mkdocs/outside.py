"""Files of the site that lie elsewhere on the machine: a branch can bring a link, whose end MkDocs publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mkdocs.structure.files import File
from mkdocs.utils import is_markdown_file

from ...git.links import Objection, way_out
from ...quote.diagnostics import Diagnostic, Location, Severity


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
