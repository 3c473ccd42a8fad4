"""What a page's name or a pattern in a data file leads to: that page's own card, and files of the site alone."""

from __future__ import annotations

import os
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from mkdocs_metalworking.hosts.forms.card import SIZE, Card
from mkdocs_metalworking.hosts.mkdocs.hints import keys_in_files
from mkdocs_metalworking.hosts.mkdocs.readers import reader_files
from mkdocs_metalworking.quote.quantity_file import load_quantities
from mkdocs_metalworking.quote.texts import LARGEST
from tests.builds.conftest import Site
from tests.support import git

CARDS = """\
site_name: Cards
site_url: https://book.example/
theme: {name: material, font: false, custom_dir: overrides}
plugins: [search, metalworking: {store: store, offline: true}, metalworking-cards]
"""
MAIN = """{% extends "base.html" %}
{% block extrahead %}<meta name="card" content="{{ metalworking_card | e }}">{% endblock %}
"""
PAGES = ("index.md", "a/b.md", "a-b.md", "A-b.md", "sp ace#?%41&.md", '"><img src=x onerror=alert(1)>.md')


def test_every_page_has_a_card_of_its_own(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": "x\n"})
    site.write([])
    (tmp_path / "mkdocs.yml").write_text(CARDS)
    (tmp_path / "overrides").mkdir()
    (tmp_path / "overrides/main.html").write_text(MAIN)
    for name in PAGES:
        site.page(name, f"# The page {PAGES.index(name)}\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    found = {}
    for path in (tmp_path / "site").rglob("index.html"):
        text = path.read_text("utf-8")
        match = re.search(r'<meta name="card" content="([^"]*)">', text)
        number = re.search(r"The page ([0-9])", text)
        assert match is not None
        assert number is not None
        address = urlsplit(unescape(match[1]))
        assert (address.query, address.fragment) == ("", "")
        file = tmp_path / "site" / unquote(address.path).lstrip("/")
        found[int(number[1])] = file.read_bytes()
    assert len(found) == len(PAGES)
    assert len(set(found.values())) == len(PAGES), "a card of another page"


def test_a_word_that_no_line_takes_is_begun(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    drawn = []
    for title in ("", "x" * 100_000):
        Card("Site", "", title, "", "", "", "").draw(tmp_path / "card.png")
        with image.open(tmp_path / "card.png") as card:
            assert card.size == SIZE
            drawn.append(card.convert("RGB").tobytes())
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("pattern", ["*", "**", "**x", "away/*", "pipes/*", "endless", "", "./["])
def test_a_pattern_leads_to_files_of_the_site_alone(tmp_path: Path, pattern: str) -> None:
    away = tmp_path / "away"
    site = tmp_path / "site"
    (site / "pipes").mkdir(parents=True)
    away.mkdir()
    (away / "private.py").write_text('"away.key"')
    (site / "away").symlink_to(away, target_is_directory=True)
    (site / "linked.py").symlink_to(away / "private.py")
    (site / "endless").symlink_to("/dev/zero")
    (site / "large.py").write_bytes(b'"large.key"' * 1_000_000)
    os.mkfifo(site / "pipes/pipe.py")
    (site / "plot.py").write_text('read("m1.key")')
    assert set(keys_in_files([pattern, "plot.py"], site)) == {"m1.key"}
    assert {path.name for path in reader_files([pattern, "plot.py"], site)} == {"plot.py"}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("a.js", "a.js"),
        ("*.js", "a.js"),
        ("**/*.js", "a.js docs/b.js docs/x/c.js docs/x/y/d.js"),
        ("docs/*.js", "docs/b.js"),
        ("docs/*/*.js", "docs/x/c.js"),
        ("docs/**/*.js", "docs/b.js docs/x/c.js docs/x/y/d.js"),
        ("**/x/**/*.js", "docs/x/c.js docs/x/y/d.js"),
        ("*/x/**/y/*", "docs/x/y/d.js"),
        ("**/[cd].js", "docs/x/c.js docs/x/y/d.js"),
        ("docs/x/**", "docs/x/c.js docs/x/y/d.js docs/x/e.txt"),
        ("docs/./x/?.txt", "docs/x/e.txt"),
        ("linked/*.js", "linked/c.js"),
        ("**/**/**/a.js", "a.js"),
    ],
)
def test_what_a_pattern_names(tmp_path: Path, pattern: str, names: str) -> None:
    for name in ("a.js", "docs/b.js", "docs/x/c.js", "docs/x/y/d.js", "docs/x/e.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "linked").symlink_to("docs/x", target_is_directory=True)
    found = [path.relative_to(tmp_path).as_posix() for path in reader_files([pattern], tmp_path)]
    assert sorted(found) == sorted(names.split())


def test_for_a_pattern_each_folder_is_looked_into_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deepest = tmp_path.joinpath("docs", *"a" * 40)
    deepest.mkdir(parents=True)
    (deepest / "found.js").write_text("")
    for name in ("b", "c"):  # circles, to which two roads lead
        (tmp_path / "docs" / name).symlink_to(".", target_is_directory=True)
    looked: list[object] = []
    plain = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.append(path) or plain(path))
    many = [f"{'**/a/' * 9}**/{'*/' * number}*.js" for number in range(24)]
    many += ["**/" * 60 + "*.js", "docs/" + "*/" * 80 + "*.js"]
    found = list(reader_files(many, tmp_path))
    assert found == [deepest / "found.js"]
    assert len(looked) <= 2 * 42


def test_there_are_patterns_for_every_script_and_no_more(tmp_path: Path) -> None:
    text = "readers: [{}]\nquantities: {{}}\n"
    assert not load_quantities(text.format(", ".join(["a.js"] * 50)))[1]
    (problem,) = load_quantities(text.format(", ".join(["a.js"] * 51)))[1]
    assert str(problem) == "quantities.yml:1: readers: write 50 patterns at most"


ASKING = """\
site_name: Files
plugins:
  - metalworking:
      store: store
      offline: true
      mapping: terms.yml
      callouts: {from: CUDA, to: Metal, key: cuda, links: {m: {label: M, url: "https://m.example/", pages: m.txt}}}
"""


@pytest.mark.parametrize("name", ["sources.yml", "sources.lock", "quantities.yml", "terms.yml", "m.txt", "docs/two.md"])
@pytest.mark.parametrize("kind", ["endless", "pipe", "large"])
def test_a_file_of_the_site_that_is_none_is_told(tmp_path: Path, name: str, kind: str) -> None:
    """Somebody's branch has a link to a device in its place: a command would read until the memory is full."""
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": "x\n"})
    site.write([])
    (tmp_path / "mkdocs.yml").write_text(ASKING)
    (tmp_path / "terms.yml").write_text("[]\n")
    (tmp_path / "m.txt").write_text("slug Title\n")
    site.page("index.md", "# One\n")
    path = tmp_path / name
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        with open(path, "wb") as stream:
            stream.truncate(LARGEST + 1)
    done = site.run("mkdocs_metalworking", "check")
    assert done.returncode == 1
    told = {"large": "File too large", "pipe": "not a regular file", "endless": "not a regular file"}
    if (name, kind) == ("docs/two.md", "endless"):
        told[kind] = "leads out of it"
    assert told[kind] in done.stdout


@pytest.fixture
def linked(tmp_path: Path) -> Site:
    """A site in a repository, below a folder with a file that is nobody else's business."""
    site = Site(tmp_path / "site")
    site.root.mkdir()
    (tmp_path / "away").mkdir()
    for name in ("id", "away/id.txt"):
        (tmp_path / name).write_text("PRIVATE KEY\n")
    site.add_repo("acme/kernels", {"a.c": "x\n"})
    site.write([])
    (site.root / "mkdocs.yml").write_text("site_name: S\nplugins: [metalworking: {store: store, offline: true}]\n")
    site.page("index.md", "# One\n")
    git(site.root, "init", "-q")
    git(site.root, "config", "http.extraheader", "AUTHORIZATION: basic c2VjcmV0")
    return site


@pytest.mark.parametrize(
    ("at", "to", "shown"),
    [
        ("assets/logo.txt", "../../../id", "assets/logo.txt"),
        ("notes.md", "../../id", "notes/index.html"),
        ("notes", "../../away", "notes/id.txt"),
        ("logo.txt", "../.git/config", "logo.txt"),
    ],
)
@pytest.mark.parametrize("whose", ["a branch's", "an archive's", "one's own"])
def test_no_link_that_a_branch_brought_publishes_a_file_of_this_machine(
    linked: Site, at: str, to: str, shown: str, whose: str
) -> None:
    link = linked.root / "docs" / at
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(to)
    if whose == "a branch's":
        git(linked.root, "add", "docs")
    elif whose == "an archive's":
        (linked.root / ".git/HEAD").unlink()
    of = "site's folder" if whose == "an archive's" else "repository"
    for command in (("mkdocs_metalworking", "check"), ("mkdocs", "build")):
        done = linked.run(*command)
        said = done.stdout + done.stderr
        assert (done.returncode, f"is a link of the {of} and leads out of it" in said) == (
            (0, False) if whose == "one's own" else (1, True)
        ), said
    assert (linked.root / "site" / shown).exists() is (whose == "one's own")


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("/", "docs/all is a link of the repository and leads out of it"),
        (".", "docs/all: a link to a folder around it has no end (take it out)"),
        ("..", "docs/all: a link to a folder around it has no end (take it out)"),
    ],
)
def test_no_folder_without_an_end_is_listed(linked: Site, to: str, said: str) -> None:
    """MkDocs follows links to folders, two that lead back to docs forty times each way."""
    for name in ("all", "more"):
        (linked.root / "docs" / name).symlink_to(to)
    git(linked.root, "add", "docs")
    for command in (("mkdocs_metalworking", "check"), ("mkdocs_metalworking", "lock"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1, done.stdout + done.stderr
        assert said in (done.stdout + done.stderr).replace("docs/more", "docs/all")


@pytest.mark.skipif(sys.platform != "linux", reason="devices by their names there")
@pytest.mark.parametrize("to", ["/dev/zero", "/proc/self/mem", "/proc/kmsg"])
def test_no_page_is_read_through_a_link_that_a_branch_brought(linked: Site, to: str) -> None:
    """What it leads to may have no end, and what is said of a change would be gone with the command."""
    git(linked.root, "add", "-A")
    git(linked.root, "commit", "-q", "-m", "One")
    (linked.root / "docs/two.md").symlink_to(to)
    git(linked.root, "add", "-A")
    page = "docs/two.md is a link of the repository and leads out of it"
    for command in (("check",), ("check", "--changed-from", "HEAD"), ("stage", "staged")):
        done = linked.run("mkdocs_metalworking", *command)
        assert done.returncode == 1, done.stdout + done.stderr
        assert page in done.stdout + done.stderr
        assert all(f"## {part}\n" in done.stdout for part in ("Pins", "Lock", "Quoted lines", "Problems")) is (
            "--changed-from" in command
        )
    done = linked.build()
    assert done.returncode == 1
    assert page in done.stderr


def test_a_link_within_the_repository_is_published(linked: Site) -> None:
    (linked.root / "LICENSE").write_text("MIT\n")
    (linked.root / "docs/license.txt").symlink_to("../LICENSE")
    (linked.root / "docs/round.txt").symlink_to("round.txt")
    git(linked.root, "add", "docs")
    done = linked.run("mkdocs_metalworking", "check")
    assert done.returncode == 0, done.stdout + done.stderr
