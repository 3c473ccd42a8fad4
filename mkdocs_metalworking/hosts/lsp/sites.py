"""Which mkdocs.yml an editor's folder means. To load one runs its hooks and plugins, so none of somebody else's is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from ...deliver.known_clones import remembered
from ...git.clone import is_made_here
from ...git.places import enclosing_work_tree
from ...markdown.extension import NAMES
from .paths import COPIES

CONFIG = "mkdocs.yml"
_OURS = frozenset({"metalworking", *NAMES})
_LONGEST = 1 << 20
"""Bytes of a mkdocs.yml that is looked into."""


def site_above(folder: Path) -> Path | None:
    """Return the mkdocs.yml of *folder* or of the nearest folder above that has one; None where there is none.

    One in a clone is passed over: what was cloned to be quoted from is read as objects, and a definition leads there.
    """
    found = [one / CONFIG for one in (folder, *folder.parents) if (one / CONFIG).is_file()]
    return next((one for place, one in enumerate(found) if not _is_cloned(one.parent, found[place + 1 :])), None)


def _is_cloned(folder: Path, around: Iterable[Path]) -> bool:
    """Tell whether *folder* lies in a clone or among copies of quoted files, and not in a site of one's own.

    So does what a clone holds that was made here, what lies where a site *around* it keeps its clones or was seen to
    keep them, and a repository of its own anywhere below a site that quotes: where that one keeps its clones may be
    told by what only loading it would read.
    """
    tree = enclosing_work_tree(folder)
    if tree is not None and is_made_here(tree[1]):
        return True
    names = (folder, folder.resolve())
    if any(part.startswith(COPIES) for name in names for part in name.parts):
        return True
    quoting = [(config.parent, code) for config in around if (code := _clones_of(config)) is not None]
    places = [code for _, code in quoting] + list(remembered())
    if tree is not None:
        places += [tree[0] for site, _ in quoting if tree[0] != site and tree[0].is_relative_to(site)]
    return any(name.is_relative_to(one) for place in places for one in (place, place.resolve()) for name in names)


def _clones_of(config: Path) -> Path | None:
    """Return where the site of *config* keeps its clones by what it says; None for one that quotes nothing.

    It is read as YAML: nothing of it is made, and nothing that it inherits is read.
    """
    told: dict[str, str] = {}
    try:
        with open(config, "rb") as stream:
            root = yaml.compose(stream.read(_LONGEST).decode("utf-8-sig"), yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        root = None  # it will not load either, and its clones lie in the usual place
    top = dict(_pairs(root))
    listed = [item for name in ("plugins", "markdown_extensions") for item in _items(top.get(name))]
    if root is not None and "INHERIT" not in top and not any(name in _OURS for name, _ in listed):
        return None
    for name, options in listed:
        if name in _OURS:
            told |= {key: value.value for key, value in _pairs(options) if isinstance(value, yaml.ScalarNode)}
    return config.parent / told.get("root", ".") / told.get("code", "code")


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
