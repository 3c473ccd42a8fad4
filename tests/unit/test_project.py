"""A project from its options and files: where each lies, and what is said of one that cannot be read."""

from __future__ import annotations

import pytest

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.quote.diagnostics import MetalworkingError


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


@pytest.mark.parametrize("name", ["sources.yml", "sources.lock", "quantities.yml"])
@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_a_problem(tmp_path, name, content):
    if content is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(content)
    project = Project.load(Settings.of({"store": "store", "offline": True}, base=tmp_path))
    project.close()
    assert [(found.code, found.location.path) for found in project.problems] == [("config", name)]
    assert "cannot read it: " in project.problems[0].message


def test_files_that_are_not_there_are_none(tmp_path):
    project = Project.load(Settings.of({"store": "store", "offline": True}, base=tmp_path))
    project.close()
    assert project.problems == []
