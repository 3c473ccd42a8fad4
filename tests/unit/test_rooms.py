"""The plan of the package: which room may import which. Arrows point one way; quote knows no host, Markdown or CUDA."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mkdocs_metalworking

PACKAGE = Path(mkdocs_metalworking.__file__).parent
ROOMS = {
    "quote": set(),
    "git": {"quote"},
    "deliver": {"quote", "git"},
    "glossary": {"quote"},
    "markdown": {"quote", "deliver", "glossary"},
    "hosts": {"quote", "git", "deliver", "glossary", "markdown"},
}
"""Room to the rooms that it may import, beside itself and the package's version."""
FOREIGN = {
    "quote": {"mkdocs", "markdown", "click", "pygments", "requests"},
    "git": {"mkdocs", "markdown", "click"},
    "deliver": {"mkdocs", "markdown", "click"},
    "glossary": {"mkdocs", "markdown", "click", "jinja2"},
}
"""Room to the libraries that it may not import."""


def imports(module: Path) -> set[tuple[str, ...]]:
    """Return the absolute dotted names that *module* imports, as tuples."""
    here = ("mkdocs_metalworking", *module.relative_to(PACKAGE).with_suffix("").parts)
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else ()
            name = (*base, *(node.module.split(".") if node.module else ()))
            found |= {(*name, alias.name) for alias in node.names}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_point_one_way(room: str) -> None:
    wrong = []
    for module in sorted((PACKAGE / room).rglob("*.py")):
        for name in imports(module):
            if name[0] == "mkdocs_metalworking" and len(name) > 1 and name[1] in ROOMS:
                if name[1] != room and name[1] not in ROOMS[room]:
                    wrong.append(f"{module.relative_to(PACKAGE)} imports {'.'.join(name[1:])}")
            elif name[0] in FOREIGN.get(room, set()):
                wrong.append(f"{module.relative_to(PACKAGE)} imports {name[0]}")
    assert not wrong


def test_every_module_has_a_room() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    assert rooms == {*ROOMS, "__init__.py", "__main__.py"}
