"""A repository's name comes out the same in every address, folder, schema and message."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mkdocs_metalworking
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.repo import Repo, clone_url, nested
from mkdocs_metalworking.quote.sources_file import load_sources

A = "a" * 40
GOOD = {
    "o/n": ("github.com", "o/n"),
    "o/.github": ("github.com", "o/.github"),
    "o-1/n.m_x": ("github.com", "o-1/n.m_x"),
    "my.org/name": ("my.org", "name"),
    "codeberg.org/o/n": ("codeberg.org", "o/n"),
    "gitlab.com/group/sub/name": ("gitlab.com", "group/sub/name"),
    "git.example.org:8443/o/n": ("git.example.org:8443", "o/n"),
    "127.0.0.1:80/o/n": ("127.0.0.1:80", "o/n"),
}
BAD = ["n", "group/sub/name", "-o/n", "o/../n", "o/..", "../n", "o/n?x", "o/n#", "o//n", "o/n/", "/o/n", "o/.git"]
BAD += ["x.org/o/.GIT", "x.org/.git/n", "localhost:80/o/n", "o/n\n", "o/n é", "x.org:123456/o/n", "", "o/n:x", "a\\b/c"]
BAD += ["o/.", "x.org/o/.", "x.org/o/./n", "x.org/o/n/.", "o/.git.", "x.org/.GIT../n"]


def sources(name: str) -> str:
    return f"repositories:\n  - repo: {name!r}\n    commit: '{A}'\n    license: MIT\n"


@pytest.mark.parametrize("name", GOOD)
def test_one_reading(name: str) -> None:
    host, path = GOOD[name]
    repo = Repo.named(name)
    assert (repo.host, repo.path, str(repo.name)) == (host, path, name)
    assert repo.page == clone_url(name) == f"https://{host}/{path}"
    assert repo.below("file:///mirror/") == f"file:///mirror/{host}/{path}"
    assert repo.folder(Path("code")) == Path("code", *name.split("/"))
    assert repo.permalink(A, "x.c", 3, 5).startswith(f"https://{host}/{path}/")
    assert (repo.raw(A, "x.c", {host: "https://raw/{repo}/{commit}/{path}"})) == f"https://raw/{path}/{A}/x.c"
    assert load_sources(sources(name))[1] == []
    assert parse_directive(f"<< excerpt {name}@{A}:x.c >>").repo == name


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(MetalworkingError, match="is not a repository"):
        Repo.named(name)
    assert load_sources(sources(name))[1] != []
    with pytest.raises(MetalworkingError):
        parse_directive(f"<< excerpt {name}@{A}:x.c >>")


def test_names_that_lie_within_each_other() -> None:
    assert list(nested(["x.org/a.", "x.org/A/b"])) == [("x.org/a.", "x.org/A/b")], "one folder on Windows"
    names = ["x.org/a", "x.org/a/b", "X.org/A/b/c", "x.org/ab", "o/n"]
    assert set(nested(names)) == {
        ("x.org/a", "x.org/a/b"),
        ("x.org/a", "X.org/A/b/c"),
        ("x.org/a/b", "X.org/A/b/c"),
    }


def test_nothing_else_takes_a_name_apart() -> None:
    """No module calls a method with a slash on something called a repo."""
    found = []
    for module in Path(mkdocs_metalworking.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of = ast.unparse(node.func.value)
                slash = any(isinstance(arg, ast.Constant) and arg.value == "/" for arg in node.args)
                if slash and of.split(".")[-1] in {"repo", "mirror"}:
                    found.append(f"{module.name}: {of}.{node.func.attr}")
    assert found == []
