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
HOSTS = {
    "": set(),
    "mkdocs": {""},
    "forms": {"", "mkdocs"},
    "lsp": {"", "mkdocs"},
    "mcp": {"", "mkdocs", "forms"},
    "cli": {"", "mkdocs", "forms", "lsp", "mcp"},
}
"""Room of the hosts to those that it may import; "" is what stands beside them."""
EXTRAS = {"pygls": "lsp", "lsprotocol": "lsp", "mcp": "mcp", "mcp_types": "mcp", "pydantic": "mcp"}
"""Library of an extra to the one room that imports it."""
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


def test_hosts_know_each_other_one_way() -> None:
    wrong = []
    for module in sorted((PACKAGE / "hosts").rglob("*.py")):
        room = module.relative_to(PACKAGE / "hosts").parts[0].removesuffix(".py")
        room = room if room in HOSTS else ""
        for name in imports(module):
            other = name[2] if name[:2] == ("mkdocs_metalworking", "hosts") and len(name) > 2 else None
            if other is not None and (other := other if other in HOSTS else "") not in (room, *HOSTS[room]):
                wrong.append(f"{module.relative_to(PACKAGE)} imports {'.'.join(name[1:])}")
            if EXTRAS.get(name[0], room) != room:
                wrong.append(f"{module.relative_to(PACKAGE)} imports {name[0]}")
    assert not wrong


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Names that only a type needs count too: what must be known to read a module must be readable before it."""
    modules = {("mkdocs_metalworking", *m.relative_to(PACKAGE).with_suffix("").parts): m for m in PACKAGE.rglob("*.py")}
    needs = {
        name: {found[:length] for found in imports(module) for length in (len(found), len(found) - 1)} & set(modules)
        for name, module in modules.items()
    }
    left = dict(needs)
    while free := {name for name, needed in left.items() if not needed & left.keys() - {name}}:
        left = {name: needed for name, needed in left.items() if name not in free}
    assert not sorted(".".join(name) for name in left)


def test_every_module_has_a_room() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}
    assert rooms == {*ROOMS, "__init__.py", "__main__.py"}


def test_a_module_is_read_in_one_sitting() -> None:
    lines = {m.relative_to(PACKAGE): len(m.read_text(encoding="utf-8").splitlines()) for m in PACKAGE.rglob("*.py")}
    tables = Path("markdown/lexer.py")
    assert {str(module): count for module, count in lines.items() if count > 270 and module != tables} == {}
