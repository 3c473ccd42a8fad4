"""The promise: the exact committed lines, or the build says why. Never anything else."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import struct
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from mkdocs_metalworking.deliver.proofs import Proofs, judge, verify
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.git.binding import check_content
from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.markdown.highlight import faithful, highlight_lines, lexer_named
from mkdocs_metalworking.markdown.highlight_cache import DiskLineCache
from mkdocs_metalworking.quote.blob import FileKey, LockedFile, blob_id
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.lines import Segment, dedent, source_lines
from mkdocs_metalworking.quote.lock import Lock, load_lock
from tests.support import Bench, git
from tests.trust.reading import read_code
from tests.trust.world import fast_folder, run_many

COUNT = int(os.environ.get("TRUST_WORLDS", "3000"))


def test_exact_lines_or_a_reason(tmp_path: Path) -> None:
    tally = run_many(COUNT, fast_folder(tmp_path))
    assert tally.tried == COUNT
    for outcome in ("exact", "error", "card", "lock refused"):
        assert tally.outcomes[outcome] > COUNT / 50, f"the worlds are too much alike: {tally.outcomes}"


# What it found on the way, each as the smallest case.


def test_a_lock_that_lies_about_the_number_of_lines_is_wrong_bytes() -> None:
    file = LockedFile.of(FileKey("o/n", "a" * 40, "a.c"), b"one\ntwo\n")
    assert file.mismatch(b"one\ntwo\n") is None
    lying = LockedFile(file.key, file.blob, file.sha256, file.size, 5)
    assert lying.mismatch(b"one\ntwo\n") == "2 lines, where sources.lock says 5"


@pytest.mark.parametrize(("size", "lines"), [(10, 11), (10**11, 3), (0, 0), (5, 0), (10**11, 10**11)])
def test_a_lock_with_impossible_numbers_is_told_and_not_used(size: int, lines: int) -> None:
    file = LockedFile(FileKey("o/n", "a" * 40, "a.c"), "b" * 40, "c" * 64, size, lines)
    lock, problems = load_lock(Lock().with_entries([file]).format())
    assert [str(p).startswith("sources.lock:2: no file has that size") for p in problems] == [True]
    assert lock.files == {}


def test_of_two_truths_in_a_lock_none_is_used() -> None:
    one = LockedFile.of(FileKey("o/n", "a" * 40, "a.c"), b"one\n")
    two = LockedFile.of(one.key, b"two\n")
    text = Lock().with_entries([one]).format() + Lock().with_entries([two]).format()
    lock, problems = load_lock(text)
    assert "listed twice" in str(problems[0])
    assert lock.files == {}


def test_a_return_at_the_end_of_a_file_is_the_authors() -> None:
    assert source_lines(b"a\r\nb\r", "x") == ("a", "b\r")
    assert source_lines(b"\xef\xbb\xbf", "x") == ("",), "one line, as the lock counts it"
    with pytest.raises(MetalworkingError, match="empty"):
        check_content(FileKey("o/n", "a" * 40, "x"), b"\xef\xbb\xbf")


def test_a_form_feed_on_its_own_line_stays() -> None:
    (segment,) = dedent((Segment(1, ("    int a;", "\x0c", "  ", "\t", "    int b;")),), "auto")
    assert segment.lines == ("int a;", "\x0c", "", "\t", "int b;")


LINES = ("int a; /* \u202e */", "<b> & 'c' \"d\"", "", "\x02\x03 \U000e0041 x")


def test_coloured_lines_are_faithful_and_nothing_else_is() -> None:
    for lexer in ("c", "metal", "text", "html"):
        html = highlight_lines(LINES, lexer_named(lexer))
        assert faithful(html, LINES)
        for index, line in enumerate(html):
            for other in (line + " ", f"<b>{line}</b>", line + "<!-- -->", line.replace("&lt;", "<"), line + "\n"):
                if other != line:
                    assert not faithful([*html[:index], other, *html[index + 1 :]], LINES), other
        assert not faithful(html[:-1], LINES)
        assert not faithful([*html, ""], LINES)
    attack = "<img src=x onerror=alert(1) "
    assert faithful([attack.replace("<", "&lt;")], [attack])
    assert not faithful([attack], [attack]), "what follows on the page would close it"
    assert not faithful(["a", attack, "</span>"], ["a", attack, ""])
    over = ['<span class="c1">// checked: </span>return 0;<span class="n">', "free</span>(p);"]
    assert not faithful(over, ["// checked: return 0;", "free(p);"]), "a row more than there are lines"
    assert not faithful(['<span class="k">a', "", "b</span>"], ["a", "", "b"])
    marked = highlight_lines(["a\u202e"], lexer_named("text"))
    assert faithful(marked, ["a\u202e"])
    assert not faithful([marked[0].replace('"U+202E" t', '"" t')], ["a\u202e"]), "a mark that shows nothing"
    assert not faithful([marked[0].replace('data-cp="202e"', 'data-cp="61"')], ["aa"])


@pytest.mark.parametrize(
    "planted",
    [
        zlib.compress(json.dumps(["<script>alert(1)</script>"]).encode()),
        zlib.compress(json.dumps(["b"]).encode()),
        zlib.compress(json.dumps({"a": 1}).encode()),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"\xff"),
        zlib.compress(b" " * 200_000_000, 1),
        b"not packed",
        "text",
        None,
    ],
)
def test_a_planted_line_cache_shows_nothing(tmp_path: Path, planted: object) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/kernels", {"a.c": "int a;\n"})
    bench.write([("acme/kernels", "a.c")])
    page = f"<< excerpt acme/kernels@{commit[:9]}:a.c >>\n"
    path = tmp_path / "highlight.sqlite"
    cache = DiskLineCache(path, "v")
    honest, _ = bench.convert(page, line_cache=cache)
    cache.close()
    if planted is not None:
        with sqlite3.connect(path) as db:
            db.execute("UPDATE lines SET html = ?", (planted,))
        db.close()
    else:
        path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    for _ in range(2):
        cache = DiskLineCache(path, "v")
        html, found = bench.convert(page, line_cache=cache)
        cache.close()
        assert html == honest
        assert len(found.diagnostics) == 0
    if planted is not None:
        with sqlite3.connect(path) as db:
            (kept,) = db.execute("SELECT html FROM lines").fetchone()
        db.close()
        assert kept != planted, "the wrong entry is replaced"


ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
TABLE = "CREATE TABLE lines (key BLOB PRIMARY KEY, html BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
PLANTED_SCHEMAS = {
    "view": [f"CREATE VIEW lines AS SELECT x'' AS key, x'' AS html, 0 AS used WHERE EXISTS ({ENDLESS})"],
    "trigger": [TABLE, f"CREATE TRIGGER t INSERT ON lines BEGIN DELETE FROM lines WHERE key IN ({ENDLESS}); END"],
    "other table": ["CREATE TABLE cookies (a)"],
    "other columns": ["CREATE TABLE lines (key, html)"],
}


@pytest.mark.parametrize("schema", PLANTED_SCHEMAS)
def test_a_planted_cache_runs_nothing(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "highlight.sqlite"
    with sqlite3.connect(path) as db:
        for statement in PLANTED_SCHEMAS[schema]:
            db.execute(statement)
    db.close()
    cache = DiskLineCache(path, "v")
    assert cache("key", lambda: ["a"]) == ["a"]
    if cache._db is not None:  # else it would never end
        cache._db.set_progress_handler(lambda: 1, 1_000_000)
    cache.close()
    assert not path.exists(), "set aside, so that the next build starts a new one"


def test_a_cache_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"")
    path = tmp_path / "highlight.sqlite"
    path.symlink_to(theirs)
    cache = DiskLineCache(path, "v")
    assert cache("key", lambda: ["a"]) == ["a"]
    cache.close()
    assert theirs.read_bytes() == b""


JOURNAL = bytes.fromhex("d9d505f920a163d7")


def journal_naming(path: Path) -> bytes:
    """Return a journal without pages that names *path* as the journal above it: SQLite, done, deletes that file.

    https://www.sqlite.org/fileformat2.html#the_rollback_journal; its end is as ``readSuperJournal`` reads it.
    """
    name = os.fsencode(path)
    head = (JOURNAL + struct.pack(">5I", 0, 0, 3, 512, 4096)).ljust(512, b"\0")
    total = sum(name) & 0xFFFFFFFF
    return head + struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">II", len(name), total) + JOURNAL


def cache_beside(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "highlight.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(TABLE)
    return path


def test_a_journal_beside_a_cache_deletes_nothing(tmp_path: Path) -> None:
    theirs = tmp_path / "thesis.txt"
    theirs.write_text("years of work\n", encoding="utf-8")
    path = cache_beside(tmp_path / "sqlite alone")
    Path(f"{path}-journal").write_bytes(journal_naming(theirs))
    with closing(sqlite3.connect(path)) as db:
        db.execute("SELECT * FROM lines").fetchall()
    assert not theirs.exists(), "this is what the attack does"
    theirs.write_text("years of work\n", encoding="utf-8")
    path = cache_beside(tmp_path / "ours")
    Path(f"{path}-journal").write_bytes(journal_naming(theirs))
    for kept in (["a"], ["a"]):  # the first build sets all of it aside, the next one starts anew
        cache = DiskLineCache(path, "v")
        assert cache("key", lambda: ["a"]) == kept
        cache.close()
    assert theirs.read_text("utf-8") == "years of work\n"
    assert [one.name for one in path.parent.iterdir()] == ["highlight.sqlite"]


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_a_link_beside_a_cache_is_not_followed(tmp_path: Path, ending: str) -> None:
    theirs = tmp_path / "font.ttf"
    theirs.write_bytes(b"\0\1\0\0" + b"font" * 3000)
    before = theirs.read_bytes()
    path = cache_beside(tmp_path / "store")
    Path(f"{path}{ending}").symlink_to(theirs)
    cache = DiskLineCache(path, "v")
    assert cache("key", lambda: ["a"]) == ["a"]
    cache.close()
    assert theirs.read_bytes() == before
    assert not os.path.lexists(f"{path}{ending}")


def test_no_journal_is_written(tmp_path: Path) -> None:
    path = tmp_path / "highlight.sqlite"
    cache = DiskLineCache(path, "v")
    cache("key", lambda: ["a"])
    cache.flush()
    assert cache._db is not None
    assert cache._db.execute("PRAGMA journal_mode").fetchone() == ("memory",)
    cache.close()
    assert [one.name for one in tmp_path.iterdir()] == ["highlight.sqlite"]


# A line of the lock that borrows from another line, or speaks of a file that nobody shows.


def falsify(bench: Bench, path: str, old: str, new: str) -> None:
    """Replace *old* by *new* in the line of the lock that ends with *path*."""
    lock = bench.root / "sources.lock"
    lines = lock.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = [re.sub(old, new, line) if line.endswith(f" {path}\n") else line for line in lines]
    assert changed != lines
    lock.write_text("".join(changed), encoding="utf-8")


def test_a_line_that_borrows_the_hash_of_another_shows_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    good = bench.add_repo("good/k", {"g.c": "int good;\n"})
    evil = bench.add_repo("evil/k", {"e.c": "int evil;\n"})
    bench.write([("good/k", "g.c"), ("evil/k", "e.c")])
    falsify(bench, "g.c", "sha256:[0-9a-f]+", f"sha256:{hashlib.sha256(b'int evil;' + bytes([10])).hexdigest()}")
    page = f"<< excerpt evil/k@{evil[:9]}:e.c >>\n\n<< excerpt good/k@{good[:9]}:g.c >>\n"
    for _ in range(2):  # the second time from the store
        html, found = bench.convert(page)
        assert html.count("evil</span>") == 1
        assert [problem.code for problem in found.diagnostics] == ["wrong-bytes"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sha256:.", "sha256:g"),
        ("size:7", "size:8"),
        ("lines:1", "lines:2"),
        (r"(@\w+) \w+", r"\1 " + "a" * 40),
    ],
)
def test_a_file_that_is_only_cited_is_proved_too(tmp_path: Path, old: str, new: str) -> None:
    bench = Bench(tmp_path)
    bench.add_repo("acme/k", {"a.c": "int a;\n", "b.c": "int b;\n"})
    bench.write([("acme/k", "a.c"), ("acme/k", "b.c")])
    falsify(bench, "a.c", old.replace("sha256:.", "sha256:[0-9a-f]"), new.replace("g", "0"))
    for _ in range(2):
        _, found = bench.convert("Said [@acme/k:a.c#L1], and [@acme/k:b.c#L1].\n")
        assert [problem.code for problem in found.diagnostics] == ["wrong-lock"]
        with closing(bench.project()) as project:
            verdict = judge(project.lock.files.values(), project.proofs)
        assert (verdict.proved, len(verdict.wrong)) == (1, 1)


def test_a_wrong_lock_takes_nothing_out_of_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    file = LockedFile.of(FileKey("o/n", "a" * 40, "a.c"), b"int a;\n")
    assert store.put(file, b"int a;\n")
    for wrong in (replace(file, size=3), replace(file, lines=2), replace(file, blob="b" * 40)):
        assert store.get(wrong) is None
    assert store.get(file) == b"int a;\n"


# One SHA-1, two contents. No pair is known that collides with git's header in front, and git itself refuses the known
# ones; what can be shown is that the blob id alone never decides.


def collided(data: bytes, evil: bytes) -> LockedFile:
    """Return the lock of *data* as it would be if *evil* had the same blob id."""
    assert len(data) == len(evil)
    honest = LockedFile.of(FileKey("o/n", "a" * 40, "a.c"), data)
    return LockedFile(honest.key, blob_id(evil), honest.sha256, honest.size, honest.lines)


def test_equal_blob_ids_do_not_make_equal_files() -> None:
    file = collided(b"int good;\n", b"int evil;\n")
    assert blob_id(b"int evil;\n") == file.blob
    assert "SHA-256" in str(file.mismatch(b"int evil;\n"))


def test_a_collision_in_the_repository_is_not_shown(tmp_path: Path) -> None:
    """The clone delivers, under the very id of the lock, another content than the one that was locked."""
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/kernels", {"a.c": "int evil;\n"})
    bench.write([("acme/kernels", "a.c")])
    lock = tmp_path / "sources.lock"
    good = LockedFile.of(FileKey("acme/kernels", commit, "a.c"), b"int good;\n")
    evil = LockedFile.of(good.key, b"int evil;\n")
    lock.write_text(lock.read_text("utf-8").replace(evil.sha256, good.sha256), "utf-8")
    html, page = bench.convert(f"<< excerpt acme/kernels@{commit[:9]}:a.c >>\n")
    (problem,) = page.diagnostics
    assert problem.code == "wrong-bytes"
    assert "SHA-256" in str(problem)
    assert "evil" not in html
    assert not any(path.is_file() for path in (tmp_path / "store/sha256").rglob("*"))


def test_shown_lines_are_read_back_exactly() -> None:
    """The reader that judges the others sees what it should."""
    line = '<span class="mw-l" id="--1-L7"><a href="#--1-L7" data-n="7"></a>a &lt; b\n</span>'
    assert read_code(f"<pre><span><code>{line}</code></span></pre>") == {7: "a < b"}
    for bad in ("<script>x</script>", '<a href="javascript:x" data-n="8">y</a>', "<!-- -->", "<b>x</b>", "text"):
        with pytest.raises(AssertionError):
            read_code(f"<pre><span><code>{line}{bad}</code></span></pre>")


# A lock whose every number is right, of another version of the file.


def forged(tmp_path: Path) -> tuple[Bench, str, LockedFile]:
    """Return a bench whose lock says of the second commit's file what is true of the first one's."""
    bench = Bench(tmp_path)
    bench.add_repo("acme/kernels", {"a.c": "int old;\n"})
    folder = tmp_path / "code/acme/kernels"
    (folder / "a.c").write_text("int new;\n", encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "second")
    commit = git(folder, "rev-parse", "HEAD")
    bench.commits["acme/kernels"] = bench.pins[0]["commit"] = commit  # type: ignore[assignment]
    bench.write([("acme/kernels", "a.c")])
    old = LockedFile.of(FileKey("acme/kernels", commit, "a.c"), b"int old;\n")
    (tmp_path / "sources.lock").write_text(Lock().with_entries([old]).format(), encoding="utf-8")
    return bench, f"<< excerpt acme/kernels@{commit[:9]}:a.c >>\n", old


def test_a_forged_lock_is_contradicted_by_the_clone(tmp_path: Path) -> None:
    bench, page, _ = forged(tmp_path)
    html, found = bench.convert(page)
    (problem,) = found.diagnostics
    assert (problem.code, problem.severity) == ("wrong-lock", "error")
    assert "the commit has git file" in str(problem)
    assert "run: metalworking lock --update" in str(problem)
    assert "old" not in html.replace("folder", "")


def test_check_finds_a_forged_lock_though_the_store_has_its_bytes(tmp_path: Path) -> None:
    bench, page, old = forged(tmp_path)
    project = bench.project()
    verdict = judge(project.lock.files.values(), project.proofs)
    assert [found.diagnostic.code for found in verdict.wrong.values()] == ["wrong-lock"]
    project.close()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# T\n\n" + page, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: T\nplugins: [{metalworking: {store: store, offline: true}}]\n", encoding="utf-8"
    )
    assert Store(tmp_path / "store").put(old, b"int old;\n")
    done = CliRunner().invoke(main, ["-f", str(tmp_path / "mkdocs.yml"), "check"])
    assert done.exit_code == 1
    assert f"sources.lock: acme/kernels@{old.key.commit[:7]}:a.c: the commit has git file" in done.output


def test_nobody_is_asked_for_a_commit_of_ones_own(tmp_path: Path) -> None:
    file = LockedFile.of(FileKey("self", "b" * 40, "a.c"), b"int a;\n")
    store = Store(tmp_path / "store")
    with closing(Proofs(store, tmp_path / "code")) as proofs:
        verdict = verify([file], proofs, store, url=lambda repo: pytest.fail(f"{repo} was asked"))
    assert verdict.unproved == {file: "this repository does not have the commit"}
    assert (verdict.proved, verdict.wrong) == (0, {})


def test_a_shallow_clone_contradicts_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/kernels", {"a.c": "int a;\n"})
    bench.write([("acme/kernels", "a.c")])
    elsewhere = LockedFile.of(FileKey("acme/kernels", "b" * 40, "a.c"), b"int a;\n")
    lock = bench.project().lock.with_entries([elsewhere])
    with closing(Proofs(Store(tmp_path / "store"), tmp_path / "code")) as proofs:
        verdict = judge(lock.files.values(), proofs)
    assert (verdict.proved, list(verdict.unproved), verdict.wrong) == (1, [elsewhere], {})
    html, page = bench.convert(f"<< excerpt acme/kernels@{commit[:9]}:a.c >>\n")
    assert len(page.diagnostics) == 0
    assert "mw-l" in html
