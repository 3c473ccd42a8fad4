"""What a page's name or a pattern in a data file leads to: that page's own card, and files of the site alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown
import mkdocs.themes.mkdocs
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from mkdocs_metalworking.hosts.forms.card import SIZE, Card
from mkdocs_metalworking.hosts.forms.lettering import Lettering
from mkdocs_metalworking.hosts.mkdocs.hints import keys_in_files
from mkdocs_metalworking.hosts.mkdocs.readers import reader_files
from mkdocs_metalworking.markdown.extension import QuotationError
from mkdocs_metalworking.quote.quantity_file import load_quantities
from mkdocs_metalworking.quote.texts import LARGEST
from tests.builds.conftest import Site
from tests.forked import python_m
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


@pytest.mark.parametrize(
    ("text", "lacking"),
    [("1,620\u00a0MHz \u2013 soft\u00adly 2 \u00d7 4", ""), ("Caf\u00e9 \u0416", "\u00e9"), ("A \u2192 B", "\u2192")],
)
def test_letters_that_a_font_does_not_have(text: str, lacking: str) -> None:
    pytest.importorskip("PIL")
    assert Lettering().lacking(text) == lacking
    assert Card("Site", "", "Title", "", "", "none", text).lacking(Lettering()) == lacking


def test_no_card_has_boxes_in_the_place_of_letters(tmp_path: Path) -> None:
    """A font of MkDocs' own has letters and arrows; the one that Pillow brings has no arrow."""
    pytest.importorskip("PIL")
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": "x\n"})
    site.write([])
    (tmp_path / "fonts").mkdir()
    own = Path(*mkdocs.themes.mkdocs.__path__) / "webfonts/fa-solid-900.ttf"
    shutil.copy(own, tmp_path / "fonts/own.ttf")
    (tmp_path / "overrides").mkdir()
    (tmp_path / "overrides/main.html").write_text(MAIN)
    for name, title in {"arrow": "From \u2192 to", "plain": "Plain", "zhe": "\u0416"}.items():
        site.page(f"{name}.md", f"# {title}\n")
    for font, lacking in (("", ["arrow", "zhe"]), ("fonts/own.ttf", ["zhe"])):
        option = f"metalworking-cards: {{font: '{font}'}}"
        (tmp_path / "mkdocs.yml").write_text(CARDS.replace("metalworking-cards", option))
        done = site.build()
        assert done.returncode == 0, done.stderr
        told = {line for line in done.stderr.splitlines() if "No card" in line}
        letters = {"arrow": "\u2192 (arrow.md)", "zhe": "\u0416 (zhe.md)"}
        named = ", ".join(letters[name] for name in lacking)
        assert told == {f"WARNING -  No card where the font lacks a letter: {named}; name another file under font:"}
        for name in ("arrow", "plain", "zhe"):
            page = (tmp_path / f"site/{name}/index.html").read_text()
            drawn = (tmp_path / f"site/assets/cards/{name}.png").exists()
            assert (f"assets/cards/{name}.png" in page, drawn) == (name not in lacking, name not in lacking), name
    (tmp_path / "fonts/own.ttf").unlink()
    (tmp_path / "fonts/own.ttf").symlink_to(own)
    done = site.build()
    assert done.returncode == 1
    assert "metalworking-cards: font: fonts/own.ttf: own.ttf: " in done.stderr
    assert "leads out of it" in done.stderr


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
    assert kind != "endless" or "is a link of the site's folder and leads out of it" in done.stdout
    told = {"large": "File too large", "pipe": "not a regular file", "endless": "not a regular file"}
    if kind == "endless":
        git(tmp_path, "init", "-q")  # else no repository is around the site that could tell whose the link is
        done = site.run("mkdocs_metalworking", "check")
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


LINKS = {
    "out": {"docs/a": "../x", "x/b": "/"},
    "itself": {"docs/a": "../x", "x/b": ".", "x/c": "."},
    "a circle": {"docs/a": "../x", "x/b": "../y", "y/c": "../x", "y/d": "../x"},
    "a circle by folders": {"docs/a": "../x/deep", "x/deep/b": "../../y", "y/in/c": "../../x"},
    "docs": {"docs": "/"},
    "doubled": {"docs/a": "../d0"} | {f"d{n}/{way}": f"../d{n + 1}" for n in range(40) for way in "ab"},
}
"""Links to folders, each of them within the repository by itself, as far as it leads to a folder that is listed."""


@pytest.mark.parametrize("way", LINKS)
def test_no_folder_without_an_end_is_listed_behind_another_link(linked: Site, way: str) -> None:
    """MkDocs goes into a folder behind a link, and there into the next: as many times as there are ways to it."""
    git(linked.root, "add", "-A")
    git(linked.root, "commit", "-q", "-m", "One")
    if way == "docs":
        shutil.rmtree(linked.root / "docs")
    if way == "doubled":
        (linked.root / "d40").mkdir()
    for name, to in LINKS[way].items():
        link = linked.root / name
        link.parent.mkdir(parents=True, exist_ok=True)
        (link.parent / "f.txt").touch()
        link.symlink_to(to)
    git(linked.root, "add", "-A")
    said = {
        "out": "docs/a/b: x/b is a link of the repository and leads out of it",
        "itself": "docs/a/b: a link to a folder around it has no end",
        "a circle": "docs/a/b/c: a link to a folder around it has no end",
        "a circle by folders": "docs/a/b/in/c: a link to a folder around it has no end",
        "docs": "docs is a link of the repository and leads out of it",
        "doubled": "links make more than 100000 files and folders",
    }[way]
    for command in (("mkdocs_metalworking", "check", "--changed-from", "HEAD"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1, done.stdout + done.stderr
        assert said in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("at", "told"), [(b"docs/a\xe9.png", "docs/a\\udce9.png"), (b"docs/first/\xff/b.md", "docs/first/\\udcff")]
)
def test_a_name_that_is_no_text_is_told(linked: Site, at: bytes, told: str) -> None:
    """MkDocs matches each name with patterns, and ends in a traceback."""
    path = Path(os.fsdecode(os.fsencode(linked.root) + b"/" + at))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError:
        pytest.skip("this file system has no such names")
    for command in (("mkdocs_metalworking", "check"), ("mkdocs_metalworking", "lock"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1
        said = (done.stdout + done.stderr).removeprefix("Error: ").strip()
        assert said == f"{told}: its name is no UTF-8 (rename it)"


def test_folders_are_not_nested_without_sense(linked: Site) -> None:
    """Each link and each folder is judged by its whole way: a branch of a few KB would take hours."""
    folder = linked.root / "docs" / Path(*["a"] * 99)
    folder.mkdir(parents=True)
    (folder / "f.txt").write_text("shown\n")
    assert linked.build().returncode == 0
    assert (linked.root / "site" / Path(*["a"] * 99) / "f.txt").exists()
    (folder / "a/a").mkdir(parents=True)
    for command in (("mkdocs_metalworking", "check"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1
        assert "/a: more than 100 folders lie within each other (nest them less)" in done.stdout + done.stderr


def test_a_link_that_leads_by_very_many_folders_leads_out(linked: Site) -> None:
    """The system would look each of them up, and then once more for each, however short the branch is."""
    (linked.root / "docs/x").mkdir()
    (linked.root / "docs/far.txt").symlink_to("x/../" * 250 + "index.md")
    assert linked.build().returncode == 0
    git(linked.root, "add", "-A")
    done = linked.build()
    assert done.returncode == 1
    assert "docs/far.txt is a link of the repository and leads out of it" in done.stderr


def test_folders_that_links_lead_to_twice_are_published_twice(linked: Site) -> None:
    for name in ("x", "docs/sub/deep"):
        (linked.root / name).mkdir(parents=True)
        (linked.root / name / "f.txt").write_text("shown\n")
    for name, to in {"docs/a": "../x", "docs/b": "../x", "docs/sub/deep/c": "../../../x", "docs/d": "sub"}.items():
        (linked.root / name).symlink_to(to)
    git(linked.root, "add", "-A")
    done = linked.build()
    assert done.returncode == 0, done.stderr
    found = {str(path.relative_to(linked.root / "site")) for path in (linked.root / "site").rglob("f.txt")}
    assert found == {f"{at}/f.txt" for at in ("a", "b", "sub/deep", "sub/deep/c", "d/deep", "d/deep/c")}


@pytest.mark.parametrize("at", ["s.txt", "p.md", "more"])
def test_no_link_of_docs_beside_a_site_in_an_unpacked_archive_is_published(
    linked: Site, tmp_path: Path, at: str
) -> None:
    """An archive is of a repository, of which the site may be one folder and its docs another one."""
    top = tmp_path / "proj"
    top.mkdir()
    linked.root.rename(top / "site")
    linked.root = top / "site"
    (linked.root / "docs").rename(top / "docs")
    config = linked.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}docs_dir: ../docs\n")
    shutil.rmtree(linked.root / ".git")
    (top / "docs" / at).symlink_to("../../away" if at == "more" else "../../id")
    (top / "LICENSE").write_text("MIT\n")
    (top / "docs/license.txt").symlink_to("../LICENSE")
    for command in (("mkdocs_metalworking", "check"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1, done.stdout + done.stderr
        assert f"../docs/{at} is a link beside the site's folder and leads out of it" in done.stdout + done.stderr
    (top / "docs" / at).unlink()
    assert linked.build().returncode == 0
    assert (linked.root / "site/license.txt").read_text() == "MIT\n"


INCLUDED = {
    # Excluded by MkDocs, so that it is nothing of the site; in the set-up of this book.
    "docs/.inc.txt": "base_path: [!relative $docs_dir], check_paths: true, restrict_base_path: true",
    "docs/templates/inc.txt": "base_path: [!relative $docs_dir]",
    # Anywhere in the repository, in the set-up that the extension has by itself.
    "inc.txt": "check_paths: true",
    "tools/inc.txt": "base_path: [docs, tools]",
    "part": "base_path: [docs, part]",
}


@pytest.mark.parametrize("at", INCLUDED)
@pytest.mark.parametrize("whose", ["a branch's", "an archive's", "one's own"])
def test_no_file_is_included_through_a_link_that_a_branch_brought(linked: Site, at: str, whose: str) -> None:
    config = linked.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.snippets: {{{INCLUDED[at]}}}]\n")
    git(linked.root, "add", "-A")
    git(linked.root, "commit", "-q", "-m", "One")
    link = linked.root / at
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(linked.root.parent / ("away" if at == "part" else "id"))
    name = "id.txt" if at == "part" else at.removeprefix("docs/").removeprefix("tools/")
    (linked.root / "docs/inner.txt").write_text(f'--8<-- "{name}"\n')
    linked.page("index.md", '# One\n\n--8<-- "docs/inner.txt"\n\n--8<-- "inner.txt"\n')
    if "check_paths" in INCLUDED[at]:
        linked.page("index.md", f'# One\n\n--8<-- "{name}"\n')
    git(linked.root, "add", "docs/index.md", *([at] if whose == "a branch's" else []))
    commands = [("check",), ("check", "--changed-from", "HEAD")]
    if whose == "an archive's":
        (linked.root / ".git").rename(linked.root.parent / "gone")
        commands = commands[:1]
    ours, of = whose == "one's own", "site's folder" if whose == "an archive's" else "repository"
    for command in commands:
        done = linked.run("mkdocs_metalworking", *command)
        assert (done.returncode, f"{at} is a link of the {of} and leads out of it" in done.stdout) == (
            (0, False) if ours else (1, True)
        ), done.stdout + done.stderr
    done = linked.build()
    assert done.returncode == (0 if ours else 1), done.stderr
    shown = linked.root / "site/index.html"
    assert (shown.exists() and "PRIVATE KEY" in shown.read_text()) is ours


@pytest.mark.parametrize("extension", ["pymdownx.b64", "pymdownx.snippets"])
def test_a_link_beside_docs_ends_a_build_where_nobody_is_asked_for_it(linked: Site, extension: str) -> None:
    """A picture that stands in the page itself is read by its name; of a snippet that no page names there is none."""
    config = linked.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [{extension}]\n")
    (linked.root / "logo.png").symlink_to("../id")
    linked.page("index.md", "# One\n\n![logo](logo.png)\n")
    git(linked.root, "add", "-A")
    done = linked.build()
    said = "logo.png is a link of the repository and leads out of it"
    assert (done.returncode, said in done.stderr) == ((1, True) if extension == "pymdownx.b64" else (0, False))


def test_where_git_cannot_tell_its_links_none_is_read(linked: Site) -> None:
    """A list of files that is too long is a reason too: a few shared trees make it so."""
    config = linked.root / "mkdocs.yml"
    config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.b64]\n")
    (linked.root / "logo.png").symlink_to("../id")
    linked.page("index.md", "# One\n\n![logo](logo.png)\n")
    git(linked.root, "add", "-A")
    (linked.root / ".git/index").write_bytes(b"no index")
    for command in (("mkdocs_metalworking", "check"), ("mkdocs", "build")):
        done = linked.run(*command)
        assert done.returncode == 1
        assert "git cannot tell which links it tracks" in done.stdout + done.stderr
    assert not (linked.root / "site/index.html").exists()


def test_what_cannot_be_asked_of_git_is_not_included(linked: Site, tmp_path: Path) -> None:
    """Another extension is asked by the one that is alone, too, whichever comes first."""
    git(linked.root, "add", "-A")
    (linked.root / "inc.txt").symlink_to("../id")
    (linked.root / ".git/index").write_bytes(b"no index")
    for order in (1, -1):
        names = ["mkdocs_metalworking", "pymdownx.snippets"][::order]
        options = {"mkdocs_metalworking": {"root": str(linked.root)}, "pymdownx.snippets": {"base_path": linked.root}}
        with pytest.raises(
            QuotationError, match=r"inc\.txt is a link of which git cannot tell whose it is and leads out"
        ):
            markdown.markdown('--8<-- "inc.txt"\n', extensions=names, extension_configs=options)


@pytest.mark.parametrize("how", ["snippets", "above", "by default", "pages", "alone"])
def test_nothing_beside_a_site_in_an_unpacked_archive_is_read_through_a_link(
    linked: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """An archive is of a repository, of which the site may be one folder and what its sites share another one."""
    (tmp_path / "proj/shared").mkdir(parents=True)
    root = linked.root = linked.root.rename(tmp_path / "proj/site")
    shutil.rmtree(root / ".git")
    (tmp_path / "proj/shared/inc.txt").symlink_to("../../id")
    config = root / "mkdocs.yml"
    snippets = {"base_path": ["docs/../../shared"], "check_paths": True}
    said = "../shared/inc.txt is a link beside the site's folder and leads out of it"
    linked.page("index.md", '# One\n\n--8<-- "inc.txt"\n')
    if how == "alone":
        monkeypatch.chdir(root)
        with pytest.raises(QuotationError, match=re.escape(said)):
            markdown.markdown(
                '--8<-- "inc.txt"\n',
                extensions=["pymdownx.snippets", "mkdocs_metalworking"],
                extension_configs={"pymdownx.snippets": snippets},
            )
        return
    place = tmp_path / "proj" if how in ("above", "by default") else root
    if how == "by default":  # from where the command runs, as the next one
        linked.page("index.md", '# One\n\n--8<-- "shared/inc.txt"\n')
        del snippets["base_path"]
    elif how == "above":
        snippets["base_path"] = ["shared"]
    if how != "pages":
        config.write_text(f"{config.read_text()}markdown_extensions: [pymdownx.snippets: {json.dumps(snippets)}]\n")
    else:
        linked.page("index.md", "# One\n")
        config.write_text(ASKING.replace("mapping: terms.yml", "").replace("m.txt", "../shared/inc.txt"))
    at = str(config.relative_to(place))
    for command in (("mkdocs_metalworking", "-f", at, "check"), ("mkdocs", "build", "-f", at)):
        done = python_m(*command, cwd=place)
        assert done.returncode == 1, done.stdout + done.stderr
        assert said in done.stdout + done.stderr
    assert not (root / "site/index.html").exists()


@pytest.mark.parametrize("to", ["../../id", "/dev/zero", "pipe"])
def test_no_stage_holds_what_a_link_of_a_branch_leads_to(linked: Site, tmp_path: Path, to: str) -> None:
    path = linked.root / "docs/p.png"
    if to == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(to)
        git(linked.root, "add", "docs")
    done = linked.run("mkdocs_metalworking", "stage", str(tmp_path / "stage"))
    assert done.returncode == 1, done.stdout + done.stderr
    said = "p.png cannot be read: not a regular file" if to == "pipe" else "p.png is a link of the repository"
    assert said in (done.stdout + done.stderr).lower()
    assert not (tmp_path / "stage/docs/p.png").exists()


def test_what_serve_goes_on_with_holds_none_of_it(linked: Site) -> None:
    """It shows what is wrong, and goes on; MkDocs would copy what the link leads to."""
    (linked.root / "docs/s.txt").symlink_to("../../id")
    git(linked.root, "add", "docs")
    config = load_config(str(linked.root / "mkdocs.yml"))
    config.plugins.run_event("startup", command="serve", dirty=False)
    build(config, serve_url="/")
    assert (linked.root / "site/index.html").exists()
    assert not (linked.root / "site/s.txt").exists()


READ = ("sources.yml", "sources.lock", "quantities.yml", "terms.yml", "m.txt", "locks")


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("whose", ["a branch's", "an archive's", "one's own"])
def test_no_file_of_the_site_is_read_through_a_link_that_a_branch_brought(
    linked: Site, tmp_path: Path, name: str, whose: str
) -> None:
    """What is wrong in it would be told with its own words, in a log that everybody reads."""
    root = linked.root
    (root / "mkdocs.yml").write_text(ASKING)
    (root / "terms.yml").write_text("[]\n")
    (root / "m.txt").write_text("slug Title\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "One")
    (tmp_path / "away/netrc").write_text("machine x password HUNTER2\n")
    (tmp_path / "away/sources.lock").write_text("machine x password HUNTER2\n")
    if name == "locks":
        (root / "mkdocs.yml").write_text(ASKING.replace("store: store", "store: store\n      lock: locks/sources.lock"))
        (root / name).symlink_to("../away", target_is_directory=True)
    else:
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to("../away/netrc")
    if whose == "a branch's":
        git(root, "add", "-A")
    elif whose == "an archive's":
        (root / ".git").rename(tmp_path / "gone")
    said = "link of the repository" if whose == "a branch's" else "link of the site's folder"
    commands = [("check",), ("lock",), ("lock", "--verify"), ("fetch",), ("clone",), ("sources", "--check"), ("list",)]
    told = []
    for command in commands:
        done = linked.run("mkdocs_metalworking", *command)
        told.append(done.stdout + done.stderr)
        assert "Traceback" not in told[-1]
    done = linked.run("mkdocs", "build")
    told.append(done.stdout + done.stderr)
    if whose == "one's own":
        assert not [one for one in told if "leads out of it" in one]
        assert name not in ("sources.lock", "locks") or "HUNTER2" in told[0], "what would be told"
    else:
        assert done.returncode == 1
        assert f"{name} is a {said} and leads out of it" in told[0]
        assert f"{name} is a {said} and leads out of it" in told[-1]
        assert not [one for one in told if "HUNTER2" in one]
    assert (tmp_path / "away/netrc").read_text() == "machine x password HUNTER2\n"
    assert sorted(one.name for one in (tmp_path / "away").iterdir()) == ["id.txt", "netrc", "sources.lock"]


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
