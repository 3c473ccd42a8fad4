"""Files of the site that lie elsewhere on the machine: a branch can bring a link, whose end MkDocs publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mkdocs.structure.files import File
from mkdocs.utils import is_markdown_file

from ...git.links import way_out
from ...quote.diagnostics import Diagnostic, Location, Severity


def leave_outside(files: Iterable[File], label: Callable[[File], str]) -> Iterator[Diagnostic]:
    """Yield an error for each file that is reached by a link which git tracks and which leads out of the repository.

    A page among them is not read: what is there may have no end. What a link leads to that git does not track is the
    person's own affair.
    """
    folders: dict[Path, str] = {}
    for file in files:
        if not file.abs_src_path or file.inclusion.is_excluded():
            continue
        path = Path(file.abs_src_path)
        if path.parent not in folders:
            folders[path.parent] = way_out(path.parent)
        if link := folders[path.parent] or (way_out(path) if path.is_symlink() else ""):
            message = f"{link} is a link of the repository and leads out of it: anybody may have put it there"
            hint = f"put the file in its place, or git rm --cached {link} if it is yours"
            yield Diagnostic(Severity.ERROR, "files", message, hint, Location(label(file)))
            if is_markdown_file(file.src_uri):
                file.content_string = f"# {file.name}\n\nThis page lies elsewhere and is not read.\n"
