"""The site's own repository as a transport: its objects, and nothing where there is none."""

from __future__ import annotations

import pytest

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.deliver.transports.own import Own
from mkdocs_metalworking.quote.diagnostics import MetalworkingError

DATA = b"kernel void k() {}\n"


def test_it_delivers_what_was_committed(tmp_path, make_repo, tools):
    repo = make_repo(tmp_path / "site", {"a.metal": DATA, "b.metal": b"other\n"})
    own = Own(repo.folder / ".git")
    assert own.name == "self"
    file = tools.locked(DATA, "a.metal", "self", repo.commit)
    for _ in range(2):
        assert own.get(file) == DATA
    with pytest.raises(NotDelivered, match="in a workflow, check out with fetch-depth: 0"):
        own.get(tools.locked(b"never committed\n", "a.metal", "self", "b" * 40))
    with pytest.raises(MetalworkingError, match="the commit has git file"):
        own.get(tools.locked(DATA, "b.metal", "self", repo.commit))
    own.close()
    own.close()


def test_without_a_repository_it_says_so(tools):
    own = Own(None)
    with pytest.raises(NotDelivered, match="no git repository encloses the site"):
        own.get(tools.locked(DATA, "a.metal", "self"))
    own.close()


def test_paths_of_a_project_start_at_its_root(tmp_path):
    names = ("sources.yml", "sources.lock", "quantities.yml", "code")
    usual = Settings.of({}, base=tmp_path)
    assert [usual.sources, usual.lock, usual.quantities, usual.code] == [tmp_path / name for name in names]
    assert usual.store is None
    inner = tmp_path / "book"
    moved = Settings.of(
        {
            "root": "book",
            "sources": "s.yml",
            "lock": "l.lock",
            "quantities": "q.yml",
            "code": "clones",
            "store": "kept",
            "transports": ["raw"],
        },
        base=tmp_path,
    )
    assert (moved.root, moved.sources, moved.lock) == (inner, inner / "s.yml", inner / "l.lock")
    assert (moved.quantities, moved.code, moved.store) == (inner / "q.yml", inner / "clones", inner / "kept")
    assert (moved.transports, moved.offline, Settings.of({"offline": True}).offline) == (("raw",), False, True)
    with pytest.raises(MetalworkingError, match="unknown transport 'pigeon'"):
        Settings.of({"transports": ["pigeon"]})
