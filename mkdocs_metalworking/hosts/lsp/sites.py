"""Which mkdocs.yml an editor's folder means. To load one runs its hooks and plugins, so none of somebody else's is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from ...git.clone import is_made_here
from ...git.places import enclosing_work_tree
from ...markdown.extension import NAMES
from .known_clones import remembered, remembered_sites
from .paths import COPIES

CONFIG = "mkdocs.yml"
_OURS = frozenset({"metalworking", *NAMES})
_PINS = ("sources.yml", "sources.lock")
_LISTS = ("plugins", "markdown_extensions")
_LONGEST = 1 << 20
"""Bytes of a mkdocs.yml that is looked into."""


def site_above(folder: Path) -> Path | None:
    """Return the mkdocs.yml of *folder* or of the nearest folder above that has one; None where there is none.

    One in a clone is passed over: what was cloned to be quoted from is read as objects, and a definition leads there.
    """
    return next((config for config, why in configs_above(folder) if not why), None)


def configs_above(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each mkdocs.yml of *folder* and of those above it, with the reason why it is passed over, or ""."""
    found = [one / CONFIG for one in (folder, *folder.parents) if (one / CONFIG).is_file()]
    for place, one in enumerate(found):
        yield one, _why_cloned(one.parent, found[place + 1 :])


def _why_cloned(folder: Path, around: Iterable[Path]) -> str:
    """Return why *folder* may be somebody else's: in a clone or among copies of quoted files, and no site of one's own.

    So may be what a clone holds that was made here, what lies among the pages of a site *around* it, where that keeps
    its clones or was seen to keep them, and a repository of its own anywhere below a site that quotes: where that one
    keeps its clones may be told by what only loading it would read. A folder with sources.yml or sources.lock is one,
    too: its configuration may have another name (``-f``). What was a site of the person's before stays one, wherever a
    site was seen to keep a clone.
    """
    tree = enclosing_work_tree(folder)
    if tree is not None and is_made_here(tree[1]):
        return "it lies in a clone"
    names = (folder, folder.resolve())
    if any(part.startswith(COPIES) for name in names for part in name.parts):
        return "it lies among copies of quoted files"
    quoting = [site for config in around if (site := _told(config)) is not None]
    places = [(site.code, f"it lies among the clones of {site.root}") for site in quoting]
    places += [(site.docs, f"it lies among the pages of {site.root}") for site in quoting]
    if names[1] not in remembered_sites():
        places += [(one, f"a site quotes from {one}") for one in remembered()]
    pinning = {one for name in names for one in name.parents if any((one / file).is_file() for file in _PINS)}
    places += [(one / "code", f"it lies among the clones of {one}") for one in pinning]
    if tree is not None:
        roots = {*(site.root for site in quoting), *pinning}
        below = [root for root in roots if tree[0] != root and tree[0].is_relative_to(root)]
        places += [(tree[0], f"it is of a repository of its own below {root}") for root in below]
    return next((why for place, why in places if _lies_in(names, place)), "")


def _lies_in(names: Iterable[Path], place: Path) -> bool:
    return any(name.is_relative_to(one) for one in (place, place.resolve()) for name in names)


class _Site(NamedTuple):
    """A site that quotes, by what its mkdocs.yml says: where it, its pages and its clones lie."""

    root: Path
    docs: Path
    code: Path


def _told(config: Path) -> _Site | None:
    """Return what *config* and what it inherits say of a site; None for one that surely quotes nothing.

    They are read as YAML: nothing of them is made. What MkDocs would merge or read otherwise is not: then the site may
    quote, whatever it seems to say.
    """
    told: dict[str, str] = {}
    tops = list(_inherited(config, 5))
    listed = [item for top in tops for name in _LISTS for item in _items(top.get(name))]
    if len(tops) == 1 and not _is_odd(tops[0]) and not any(name in _OURS for name, _ in listed):
        return None
    for name, options in reversed(listed):
        if name in _OURS:
            told |= {key: value.value for key, value in _pairs(options) if isinstance(value, yaml.ScalarNode)}
    docs = next((top["docs_dir"] for top in tops if "docs_dir" in top), None)
    folder = docs.value if isinstance(docs, yaml.ScalarNode) else "docs"
    root = config.parent
    return _Site(root, root / folder, root / told.get("root", ".") / told.get("code", "code"))


def _is_odd(top: dict[str, yaml.Node]) -> bool:
    """Tell whether plugins or extensions may come from elsewhere: by a merge, by a tag, or from what was not read."""
    lists = [top[name] for name in _LISTS if name in top]
    plain = all(node.tag.startswith("tag:yaml.org,2002:") and "<<" not in dict(_pairs(node)) for node in lists)
    return not top or "<<" in top or not plain


def _inherited(config: Path, deep: int) -> Iterator[dict[str, yaml.Node]]:
    """Yield the settings of *config* and of the files that it inherits from; an empty one for what cannot be read."""
    try:
        with open(config, "rb") as stream:
            data = stream.read(_LONGEST + 1)
        root = yaml.compose(data.decode("utf-8-sig"), yaml.SafeLoader) if len(data) <= _LONGEST else None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        root = None
    top = dict(_pairs(root))
    yield top
    base = top.get("INHERIT")
    if base is not None and deep and isinstance(base, yaml.ScalarNode):
        yield from _inherited(config.parent / base.value, deep - 1)
    elif base is not None:
        yield {}


def _pairs(node: yaml.Node | None) -> Iterable[tuple[str, yaml.Node]]:
    """Yield names and values of a mapping; nothing of what is none."""
    if isinstance(node, yaml.MappingNode):
        yield from ((key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))


def _items(node: yaml.Node | None) -> Iterable[tuple[str, yaml.Node | None]]:
    """Yield names and options of a list of plugins, or of a mapping of them."""
    for one in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        if isinstance(one, yaml.ScalarNode):
            yield one.value, None
        yield from _pairs(one)
