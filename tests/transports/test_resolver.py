"""The order of asking, and what is made of wrong bytes."""

from __future__ import annotations

import threading
import tracemalloc

import pytest

from mkdocs_metalworking.deliver import resolver as resolving
from mkdocs_metalworking.deliver.http import Limits, new_session
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transports.checkout import Checkout
from mkdocs_metalworking.deliver.transports.own import Own
from mkdocs_metalworking.deliver.transports.package import Package
from mkdocs_metalworking.deliver.transports.raw import Raw
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Severity, Unavailable
from tests.support import PATIENCE

DATA = b"kernel void k() {}\n"


@pytest.fixture
def raw(serve, tools):
    """A raw transport whose server answers with the bytes it is told."""

    def make(data: bytes, status: int = 200):
        server = serve(lambda handler: tools.send(handler, data, status))
        template = server.url + "/{repo}/{commit}/{path}"
        return Raw(new_session, templates={"github.com": template}, limits=Limits(1, 1, 2)), server

    return make


def test_asks_in_order_and_stops_at_the_first(tmp_path, make_repo, store, tools, raw):
    repo = make_repo(tmp_path / "code/o/n", {"a": DATA})
    transport, server = raw(DATA)
    file = tools.locked(DATA, "a", commit=repo.commit)
    with Resolver(store, [Checkout(tmp_path / "code"), transport]) as resolver:
        assert resolver.resolve(file).via == "checkout"
        assert resolver.resolve(file).data == DATA
        assert resolver.counts() == {"store": 0, "checkout": 1, "raw": 0, "cards": 0, "errors": 0}
    assert server.paths == []
    with Resolver(store, [transport]) as resolver:
        assert resolver.resolve(file).via == "store"


def test_wrong_bytes_then_right_ones_are_a_warning(tmp_path, store, tools, raw):
    wrong, right = raw(DATA.upper())[0], raw(DATA)[0]
    with Resolver(store, [wrong, right]) as resolver:
        assert resolver.resolve(tools.locked(DATA)).data == DATA
        (warning,) = resolver.warnings
        assert warning.severity is Severity.WARNING
        assert warning.code == "wrong-bytes"
        assert "o/n@aaaaaaa:src/a.metal: wrong bytes from raw: SHA-256" in warning.message
    assert store.get(tools.locked(DATA)) == DATA


def test_wrong_bytes_and_nothing_else_are_an_error_every_time(store, tools, raw):
    with Resolver(store, [raw(DATA + b"!")[0], raw(b"", 404)[0]]) as resolver:
        seen = []
        for _ in range(2):
            with pytest.raises(MetalworkingError, match="wrong bytes from raw: 20 bytes instead of 19") as caught:
                resolver.resolve(tools.locked(DATA))
            assert caught.value.diagnostic.severity is Severity.ERROR
            seen.append(caught.value)
        assert seen[0] is not seen[1]
        assert len(resolver.warnings) == 0
        assert resolver.counts()["errors"] == 1
    assert tools.stored(store) == []


def test_nobody_has_it(tmp_path, store, tools, raw):
    transports = [Checkout(tmp_path / "code"), Package({}, {}, store), raw(b"", 404)[0]]
    with Resolver(store, transports) as resolver:
        with pytest.raises(Unavailable) as caught:
            resolver.resolve(tools.locked(DATA))
        message = caught.value.diagnostic.message
        for reason in ("checkout: no git repository at code/o/n", "package: no package is named", "raw: 127.0.0.1:"):
            assert reason in message
        assert "\n" not in message
        assert resolver.counts() == {"store": 0, "checkout": 0, "package": 0, "raw": 0, "cards": 1, "errors": 0}


def test_no_transport_at_all(store, tools):
    with pytest.raises(Unavailable, match="no transport is configured"):
        Resolver(store, []).resolve(tools.locked(DATA))


def test_a_damaged_entry_is_fetched_again(store, tools, raw):
    file = tools.locked(DATA)
    store.put(file, DATA)
    (entry,) = tools.stored(store)
    entry.write_bytes(DATA.upper())
    with Resolver(store, [raw(DATA)[0]]) as resolver:
        assert resolver.resolve(file).via == "raw"
    assert entry.read_bytes() == DATA


def test_a_store_that_keeps_nothing_is_no_obstacle(tmp_path, tools, raw):
    (tmp_path / "store").write_text("in the way")
    transport, server = raw(DATA)
    with Resolver(Store(tmp_path / "store"), [transport]) as resolver:
        for _ in range(3):
            assert resolver.resolve(tools.locked(DATA)).data == DATA
    assert len(server.paths) == 1


def test_of_what_no_store_takes_the_last_are_held(tmp_path, tools, serve, monkeypatch):
    """Twenty bytes are room for two files of ten: a third takes the place of the first, and a large one stays alone."""
    monkeypatch.setattr(resolving, "_HELD_BYTES", 20)
    contents = {"a": b"a" * 10, "b": b"b" * 10, "c": b"c" * 10, "d": b"d" * 30}
    server = serve(lambda handler: tools.send(handler, contents[handler.path[-1]]))
    transport = Raw(new_session, templates={"github.com": server.url + "/{commit}/{path}"}, limits=Limits(1, 1, 2))
    (tmp_path / "store").write_text("in the way")
    with Resolver(Store(tmp_path / "store"), [transport]) as resolver:
        for names, asked in (("abab", "ab"), ("cbc", "c"), ("a", "a"), ("cdd", "d"), ("a", "a")):
            before = len(server.paths)
            for name in names:
                assert resolver.resolve(tools.locked(contents[name], name)).data == contents[name]
            assert "".join(path[-1] for path in server.paths[before:]) == asked, names


def test_what_is_the_sites_own_comes_from_nobody_else(tmp_path, store, tools, make_repo):
    repo = make_repo(tmp_path / "code/o/n", {"a": DATA})
    file, other = tools.locked(DATA, "a", "self", repo.commit), tools.locked(DATA, "a", "o/n", repo.commit)
    with Resolver(store, [], own=Own(repo.folder / ".git")) as resolver:
        with pytest.raises(Unavailable, match="no transport is configured"):
            resolver.resolve(other)
        assert resolver.resolve(file).via == "self"
    with Resolver(Store(tmp_path / "empty"), [Checkout(tmp_path / "code")]) as resolver:
        with pytest.raises(Unavailable, match="no transport is configured"):
            resolver.resolve(file)
        assert resolver.resolve(other).via == "checkout"


def test_many_threads_ask_once(store, tools, raw):
    transport, server = raw(DATA)
    with Resolver(store, [transport]) as resolver:
        threads = [threading.Thread(target=resolver.resolve, args=(tools.locked(DATA),)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.paths) == 1


def test_prefetch_is_parallel_across_repositories_only(store, serve, tools):
    running: list[str] = []
    lock = threading.Lock()
    most = {"all": 0, "one": 0}
    meeting = threading.Barrier(3, timeout=PATIENCE)

    def respond(handler):
        repo = handler.path.split("/")[2]
        with lock:
            running.append(repo)
            most["all"] = max(most["all"], len(running))
            most["one"] = max(most["one"], running.count(repo))
        if handler.path.endswith("f0"):  # the first of each repository: all three are under way at once
            meeting.wait()
        with lock:
            running.remove(repo)
        tools.send(handler, DATA)

    server = serve(respond)
    transport = Raw(new_session, templates={"github.com": server.url + "/{repo}/{commit}/{path}"})
    files = [tools.locked(DATA, f"f{n}", f"o/r{r}") for r in range(3) for n in range(3)]
    # One content only: keep the store from answering, so that every file is asked for.
    (store.root).write_text("in the way")
    with Resolver(store, [transport]) as resolver:
        resolver.prefetch([*files, *files], max_workers=3)
        assert resolver.counts()["raw"] == 9
    assert most == {"all": 3, "one": 1}


def test_what_the_store_keeps_is_not_held_in_memory(tmp_path, store, tools, make_repo):
    """A build that quotes 40 files of 1 MB needs no 40 MB for them."""
    files = {f"f{number}": b"%07d\n" % number * 130_000 for number in range(40)}
    repo = make_repo(tmp_path / "code/o/n", files)
    locked = [tools.locked(data, name, commit=repo.commit) for name, data in files.items()]
    del files
    with Resolver(store, [Checkout(tmp_path / "code")]) as resolver:
        tracemalloc.start()
        for file in locked:
            assert resolver.resolve(file).via == "checkout"
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert kept < 5_000_000
        assert resolver.counts()["checkout"] == 40
        assert resolver.resolve(locked[0]).via == "checkout", "it answers the same again"


def test_as_many_sessions_as_requests_at_once(serve, tools):
    server = serve(lambda handler: tools.send(handler, DATA))
    made = []

    def session():
        made.append(new_session())
        return made[-1]

    raw = Raw(session, templates={"github.com": server.url + "/{repo}/{commit}/{path}"})
    for number in range(10):
        thread = threading.Thread(target=raw.get, args=(tools.locked(DATA, f"f{number}"),))
        thread.start()
        thread.join()
    assert len(made) == 1
    raw.close()
