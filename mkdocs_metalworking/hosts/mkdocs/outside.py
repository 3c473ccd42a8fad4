"""Files of the site that lie elsewhere on the machine: a branch can bring a link, whose end MkDocs publishes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.utils import is_markdown_file

from ...git.command import GitError
from ...git.links import Objection, tracked_ways_out, way_out
from ...git.places import Premises, leading_out
from ...quote.diagnostics import Diagnostic, Location, MetalworkingError
from .docs_folder import docs_folder, docs_label

_SNIPPETS = "pymdownx.snippets"
_OTHERS = ("pymdownx.b64", "markdown_include.include")
"""Extensions that read files of which nobody is asked: what snippets includes is judged where it is read."""
_MOST = 100_000
"""Files and folders that links may make of fewer."""
_DEEPEST = 100
"""Folders within each other: each link and folder is judged by its whole way, so their number counts more than once."""


def is_including(extension: object) -> bool:
    """Tell whether an extension of Markdown reads files, by names that a page has."""
    return isinstance(extension, str) and extension.partition(":")[0] in (_SNIPPETS, *_OTHERS)


def premises_of(config: MkDocsConfig) -> Premises:
    """Return where the site lies, and what its configuration names beside it."""
    return Premises.of(_folder(config), named_in(config))


def named_in(config: MkDocsConfig) -> list[str]:
    """Return the paths, from the folder of mkdocs.yml, of docs and of what plugins and extensions have beside it.

    Extensions of Markdown count theirs from where the command runs.
    """
    site = _folder(config).resolve()
    plugins = (one.config for one in config.plugins.values() if isinstance(one, BasePlugin))  # hooks are there too
    told = [*leading_out([config.mdx_configs, *plugins])]
    return [os.path.relpath(docs_folder(config), site), *told, *(os.path.relpath(one, site) for one in told)]


def _folder(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path or "mkdocs.yml").absolute().parent


def refuse_folders(config: MkDocsConfig) -> None:
    """Refuse links to folders below docs, and one in its place, before MkDocs lists their files by the same ways.

    Behind one there may be no end. Raises MetalworkingError (``files``) for one that leads out of the repository, as
    *leave_outside* has it, for one by which a folder lies in itself, where they make very many files of few, for
    folders that are nested without sense, and for a name that MkDocs cannot match with any pattern.
    """
    docs = Path(config.docs_dir)
    _Listing(docs, Path(docs_label(config)), premises_of(config)).of(docs)


class _Listing:
    """A walk over *docs* and what its links lead to, each real folder once; *label* names it in messages."""

    def __init__(self, docs: Path, label: Path, premises: Premises) -> None:
        self._docs, self._label, self._premises = docs, label, premises
        self._found: Counter[Path] = Counter()
        """How many files and folders MkDocs finds by way of each real folder."""
        self._real = 0
        """How many there are."""

    def of(self, docs: Path) -> None:
        """Look at all folders, without recursion: folders are nested as deeply as somebody likes."""
        self._judge(docs, ())
        top = docs.resolve()
        way = {top: self._folders(docs, top)}
        while way:
            real = next(reversed(way))
            for child in way[real]:
                at = self._judge(child, way) if child.is_symlink() else real / child.name
                if at not in self._found:
                    if len(way) > _DEEPEST:
                        message = f"more than {_DEEPEST} folders lie within each other"
                        raise MetalworkingError("files", message, "nest them less", self._named(child))
                    way[at] = self._folders(child, at)
                    break
                self._add(real, self._found[at], child)
            else:
                del way[real]
                if way:
                    self._add(next(reversed(way)), self._found[real], docs)

    def _folders(self, path: Path, real: Path) -> Iterator[Path]:
        """Count what lies in a folder, and return its folders."""
        try:
            with os.scandir(path) as entries:
                folders = {entry.name: _is_folder(entry) for entry in entries}
        except OSError:  # MkDocs passes it over, too
            folders = {}
        for name in folders:
            if not name.isprintable() and not _is_text(name):
                raise MetalworkingError("files", "its name is no UTF-8", "rename it", self._named(path / name))
        self._real += 1 + len(folders)
        self._found[real] = 1 + sum(not one for one in folders.values())
        return iter([path / name for name in sorted(folders) if folders[name]])

    def _judge(self, path: Path, way: Iterable[Path]) -> Path:
        """Return the real folder that *path* leads to from the last of the real folders *way*."""
        if path.is_symlink() and (link := way_out(path, self._premises)):
            raise link.out(self._named(path), "files")
        real = path.resolve()
        if any(one.is_relative_to(real) for one in way):
            where = self._named(path)
            raise MetalworkingError("files", "a link to a folder around it has no end", "take it out", where)
        return real

    def _add(self, real: Path, found: int, path: Path) -> None:
        self._found[real] += found
        if self._found[real] > self._real + _MOST:
            message = f"links make more than {_MOST} files and folders of {self._real}"
            raise MetalworkingError("files", message, "take links to folders out", self._named(path))

    def _named(self, path: Path) -> Location:
        return Location((self._label / path.relative_to(self._docs)).as_posix())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def leave_outside(files: Iterable[File], label: Callable[[File], str], premises: Premises) -> Iterator[Diagnostic]:
    """Yield an error for each file that is reached by a link which git tracks and which leads out of the repository.

    So for one that MkDocs leaves out: an extension may show it. Nothing of them is read: what is there may have no end.
    What a link leads to that git does not track is the person's own affair. Where no repository is around the site
    nobody can tell, and none may lead out of what came with it.
    """
    folders: dict[Path, Objection | None] = {}
    for file in files:
        if not file.abs_src_path:
            continue
        path = Path(file.abs_src_path)
        if path.parent not in folders:
            folders[path.parent] = way_out(path.parent, premises)
        if link := folders[path.parent] or (way_out(path, premises) if path.is_symlink() else None):
            yield link.out(Location(label(file))).diagnostic
            if is_markdown_file(file.src_uri):
                file.content_string = f"# {file.name}\n\nThis page lies elsewhere and is not read.\n"
            else:  # serve goes on, and a stage is laid out, with what is wrong
                file.inclusion = InclusionLevel.EXCLUDED


def include_nothing_outside(config: MkDocsConfig, told: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what *leave_outside* *told*, and the same for links beside docs where an extension includes anything.

    It looks at names alone, and its folder may be that of the site or a larger one: so each link counts that the
    repository tracks. Where there is one, nothing is included.
    """
    found = list(told)
    including = [one for one in config.markdown_extensions if is_including(one)]
    if any(one.partition(":")[0] != _SNIPPETS for one in including):
        docs = Path(config.docs_dir).resolve()
        try:
            links = list(tracked_ways_out(premises_of(config).site))
        except GitError as error:
            message = (
                f"git cannot tell which links it tracks, and what they lead to may be read: {error.diagnostic.message}"
            )
            found.append(MetalworkingError("files", message, "see what git ls-files --stage says").diagnostic)
        else:
            beside = (link for path, link in links if not path.is_relative_to(docs))
            found += [link.out(Location(link.name)).diagnostic for link in beside]
    if found:
        config.markdown_extensions[:] = [one for one in config.markdown_extensions if one not in including]
    yield from found
