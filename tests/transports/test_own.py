"""The site's own repository as a transport: its objects, and nothing where there is none."""

from __future__ import annotations

import pytest

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
