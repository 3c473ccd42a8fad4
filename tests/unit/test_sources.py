"""sources.yml, sources.lock, licenses, permalinks, citations, chapters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_metalworking.glossary.chapters import Book, Chapter
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.citations import CITATION, parse_citation
from mkdocs_metalworking.quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity, printable
from mkdocs_metalworking.quote.licenses import license_allowed
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.lock import Lock, load_lock
from mkdocs_metalworking.quote.packages import ArchivePin
from mkdocs_metalworking.quote.permalinks import parse_permalink, permalink
from mkdocs_metalworking.quote.sources import NotPinned
from mkdocs_metalworking.quote.sources_file import load_sources

A, B = "a" * 40, "ab" + "c" * 38


def test_two_commits_of_one_repository() -> None:
    sources, problems = load_sources(
        f"repositories:\n- {{repo: o/n, commit: {A}, license: MIT}}\n- {{repo: o/n, commit: {B}, license: MIT}}\n"
    )
    assert problems == []
    assert sources.pin("o/n", "aaaaaaa").commit == A
    with pytest.raises(NotPinned, match="fits several"):
        sources.pin("o/n", "a")
    with pytest.raises(NotPinned, match="no commit fits several"):
        sources.pin("o/n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repositories: 3", "s.yml:1: repositories is a number (it should be array)"),
        ("referenses: []", "s.yml:1: unknown key 'referenses' (did you mean references?)"),
        ("repositories:\n- {repo: o/n, license: MIT}", "s.yml:2: repositories has no 'commit' (add commit:)"),
        (
            "repositories:\n- repo: o/n\n  commit: main\n  license: MIT",
            "s.yml:3: repositories.commit: write the full commit id, 40 or 64 hex digits"
            " (quote it if it is all digits)",
        ),
        (
            f"repositories:\n- repo: name\n  commit: {A}\n  license: MIT",
            "s.yml:2: repositories.repo: write owner/name, or host/owner/name",
        ),
        (
            f"repositories:\n- repo: o/n\n  commit: {A}\n  license: Expat",
            "s.yml:4: 'Expat' is not SPDX: Unknown license: 'expat' (see spdx.org/licenses)",
        ),
        (
            f"repositories:\n- repo: o/n\n  commit: {A}\n  license: {'MIT OR ' * 100}MIT",
            "s.yml:4: repositories.license: write an SPDX expression",
        ),
        (
            f"repositories:\n- repo: o/n\n  commit: {A}\n  license: 3",
            "s.yml:4: repositories.license is a number (it should be string or null)",
        ),
        (
            f"repositories:\n- {{repo: o/n, commit: {A}, license: MIT}}\n- {{repo: o/n, commit: {A}, license: MIT}}",
            "s.yml:3: o/n@aaaaaaa is listed twice (first at s.yml:2)",
        ),
        (
            "repositories: []\nreferences:\n- {key: a, title: T}\n- {key: a, title: U}",
            "s.yml:4: a is listed twice (first at s.yml:3)",
        ),
        (
            "repositories: []\nreferences:\n- {key: A B, title: T}",
            "s.yml:3: references.key: a key has small letters, digits, and : . _ -",
        ),
        (
            "repositories: []\nreferences:\n- {key: a, title: T, url: 'javascript:alert(1)'}",
            "s.yml:3: references.url: write an https address",
        ),
        (
            "repositories: []\nreferences:\n- {key: a, title: T, page: 'https://example.org/a.md'}",
            "s.yml:3: references.page: write a page from the docs folder, as machine/results.md#reads",
        ),
        (
            "repositories: []\nreferences:\n- {key: a, title: T, page: a.md, url: 'https://example.org'}",
            "s.yml:3: references: name a url or a page, not both",
        ),
        (
            "repositories: []\nreferences:\n- {key: a}",
            "s.yml:3: references has no 'title' (add title:)",
        ),
        (
            f"repositories:\n- {{repo: o/n, commit: {A}, license: MIT, packages: [{{root: x/}}]}}",
            "s.yml:2: repositories.packages: name a wheel or an sdist",
        ),
    ],
)
def test_problems_have_file_and_line(text: str, said: str) -> None:
    _, problems = load_sources(text, "s.yml")
    assert said in map(str, problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repositories: [\n", "s.yml:2: bad YAML"),
        ("repositories: []\nrepositories: []\n", "s.yml:2: key 'repositories' is given twice"),
        ("a: !!python/object/apply:os.system [id]\n", "s.yml:1: bad YAML"),
        ("a: &x [*x]\n", ""),
    ],
)
def test_bad_yaml_is_a_located_error(text: str, said: str) -> None:
    try:
        _, problems = load_sources(text, "s.yml")
    except MetalworkingError as problem:
        problems = [problem.diagnostic]
    assert problems
    assert str(problems[0]).startswith(said)


def test_nested_aliases_take_no_time() -> None:
    text = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    with pytest.raises(MetalworkingError, match="aliases stand for more than anybody wrote"):
        load_sources(text, "s.yml")


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("mit", True),
        ("GPL-3.0-only", False),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("Apache-2.0 AND GPL-3.0-only", False),
        ("MIT AND BSD-3-Clause", True),
        ("MIT OR GPL-3.0-only AND GPL-2.0-only", True),
        ("(MIT OR GPL-3.0-only) AND GPL-2.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_licenses(expression: str, allowed: bool) -> None:
    assert license_allowed(expression) is allowed


names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20).filter(lambda s: "\0" not in s)


@given(st.lists(names, max_size=5, unique=True), st.integers(3, 1 << 26))
def test_what_the_lock_writes_it_reads(paths: list[str], size: int) -> None:
    files = [LockedFile(FileKey("o/n", A, path), "b" * 40, "c" * 64, size, 3) for path in paths]
    archive = ArchivePin("wheel:x==1", "x-1 final.whl", "d" * 64, 5)
    lock = Lock().with_entries(files, [archive])
    read, problems = load_lock(lock.format())
    assert problems == []
    assert read.files == lock.files
    assert read.archives == lock.archives
    lines = lock.format().splitlines()[1:]
    assert lines == sorted(lines)


def test_a_lock_edited_by_hand_is_told_line_by_line() -> None:
    good = Lock().with_entries([LockedFile(FileKey("o/n", A, "p"), "b" * 40, "c" * 64, 1, 1)]).format()
    _, problems = load_lock(good + "blob what\n" + good.splitlines()[1] + "\n", "sources.lock")
    assert [str(p) for p in problems] == [
        "sources.lock:3: not a lock line: blob what (take it out; a newer metalworking may have written it)",
        f"sources.lock:4: listed twice: blob o/n@{A} bbbbbbbbbb (run: metalworking lock)",
    ]


@pytest.mark.parametrize(
    ("repo", "path", "lines", "url"),
    [
        ("o/n", "a b.c", LineRange(3, 3), f"https://github.com/o/n/blob/{A}/a%20b.c#L3"),
        ("o/n", "a.md", LineRange(3, 5), f"https://github.com/o/n/blob/{A}/a.md?plain=1#L3-L5"),
        ("o/n", "a#?.c", None, f"https://github.com/o/n/blob/{A}/a%23%3F.c"),
        ("gitlab.com/g/s/n", "a.c", LineRange(3, 5), f"https://gitlab.com/g/s/n/-/blob/{A}/a.c#L3-5"),
        ("codeberg.org/o/n", "a.c", LineRange(3, 5), f"https://codeberg.org/o/n/src/commit/{A}/a.c#L3-L5"),
        (
            "codeberg.org/o/n",
            "a.md",
            LineRange(3, 3),
            f"https://codeberg.org/o/n/src/commit/{A}/a.md?display=source#L3",
        ),
    ],
)
def test_permalinks_both_ways(repo: str, path: str, lines: LineRange | None, url: str) -> None:
    assert permalink(FileKey(repo, A, path), lines) == url
    read = parse_permalink(url)
    assert (read.repo, read.sha, read.path) == (repo, A, path)
    assert read.ranges == (None if lines is None else (lines,))


@pytest.mark.parametrize(
    ("url", "ranges"),
    [
        (f"https://github.com/o/n/blob/{A}/a.c#L3C5-L7C1", (LineRange(3, 7),)),
        (f"https://raw.githubusercontent.com/o/n/{A}/a.c", None),
        (f"https://github.com/o/n/blame/{A}/a.c#L3", (LineRange(3, 3),)),
        (f"  https://github.com/o/n/blob/{A}/a.c#a-heading ", None),
    ],
)
def test_permalinks_as_they_are_pasted(url: str, ranges: tuple[LineRange, ...] | None) -> None:
    read = parse_permalink(url)
    assert (read.repo, read.sha, read.path, read.ranges) == ("o/n", A, "a.c", ranges)


@pytest.mark.parametrize(
    "url", ["", "x", "https://github.com/o/n", "ftp://github.com/o/n/blob/a/b", "https://u:p@github.com/o/n/blob/a/b"]
)
def test_not_a_permalink(url: str) -> None:
    with pytest.raises(MetalworkingError, match="not a permalink"):
        parse_permalink(url)


def test_citation_ranges_with_commas_belong_to_the_target() -> None:
    match = CITATION.search("x [@o/n:p.c#L1-2,L5,L7-9, M1, inferred] y")
    assert match is not None
    citation = parse_citation(match[0][2:-1])
    assert citation.ranges == (LineRange(1, 2), LineRange(5, 5), LineRange(7, 9))
    assert citation.note == "M1, inferred"
    plain = CITATION.search("[@o/n:p.c, L5 is odd]")
    assert plain is not None
    assert parse_citation(plain[0][2:-1]).note == "L5 is odd"


def test_reading_order() -> None:
    book = Book([Chapter("One", "1/index", ("1/a", "1/b")), Chapter("Two", None, ("2/a",))], before=["home"])
    assert list(book) == ["home", "1/index", "1/a", "1/b", "2/a"]
    opening, last, lone = book.place("1/index"), book.place("1/b"), book.place("2/a")
    assert opening is not None
    assert last is not None
    assert lone is not None
    assert (opening.number, opening.count, opening.previous, opening.next) == (0, 2, "home", "1/a")
    assert (last.number, last.ends_chapter, last.next) == (2, True, "2/a")
    assert (lone.chapter_number, lone.next, lone.previous) == (2, None, "1/b")
    assert book.place("home") is None


def test_messages_are_safe_for_a_terminal() -> None:
    problem = Diagnostic(Severity.ERROR, "x", "esc \x1b[31m, bidi \u202e, zero \u200b, é ↵", location=Location("p", 3))
    assert str(problem) == r"p:3: esc \x1b[31m, bidi \u202e, zero \u200b, é ↵"
    assert printable("plain text") == "plain text"


@pytest.mark.parametrize("path", ["../../../other/repo/blob/main/LICENSE", "/LICENSE", "a/../../b", ".", "a/./b", ".."])
def test_the_license_file_lies_in_the_repository(path: str) -> None:
    """A browser follows dots: the caption's link to the license would lead to somebody else's."""
    text = f"repositories:\n  - repo: o/n\n    commit: '{'a' * 40}'\n    license: MIT\n    license_file: {path}\n"
    assert "write a path in the repository" in str(load_sources(text)[1][0])
    for good in ("LICENSES/MIT.txt", "..LICENSE", "a..b/LICENSE", ".github/LICENSE"):
        assert load_sources(text.replace(path, good))[1] == []
