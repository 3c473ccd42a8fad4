"""``metalworking new``: a page that builds and checks, and one line in the nav."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Desk

NAV = """\
nav:
  # The reading order.
  - index.md  # home
  - "First: part one":
      - first/index.md

      - One: first/one.md   # a comment
      - Two: first/two.md
  - Second:
    - second/three.md
"""


@pytest.fixture
def desk(desk: Desk) -> Desk:
    text = desk.text("mkdocs.yml")
    (desk.root / "mkdocs.yml").write_text(text[: text.index("nav:")] + NAV, encoding="utf-8")
    (desk.root / "sources.yml").write_text("repositories: []\n", encoding="utf-8")
    return desk


def test_the_page_builds_and_checks_as_it_is(desk: Desk) -> None:
    done = desk.metalworking("new", "first/register-file", "--after", "one")
    assert done.exit_code == 0, done.output
    assert done.stdout == "docs/first/register-file.md\n"
    nav = NAV.replace("# a comment\n", "# a comment\n      - Register file: first/register-file.md\n")
    assert desk.text("mkdocs.yml").endswith(nav)
    checked = desk.metalworking("check", "--strict")
    assert checked.exit_code == 0, checked.output
    built = desk.build("--strict")
    assert built.returncode == 0, built.stderr
    html = desk.html("first/register-file/index.html")
    assert 'class="mw-callout mw-v-none"' in html
    assert '<h1 id="register-file">Register file' in html
    assert not (desk.root / "sources.lock").exists(), "the lock is not touched"


@pytest.mark.parametrize(
    ("after", "title", "line"),
    [
        ("first/one", None, "      - New: first/new.md\n"),
        ("first/one.md", "Chips: M1 to M5", '      - "Chips: M1 to M5": first/new.md\n'),
        ("one", "2026", '      - "2026": first/new.md\n'),
        ("one", "- #5 & *", '      - "- #5 & *": first/new.md\n'),
        ("three", "A, the (B)", "    - A, the (B): first/new.md\n"),
        ("index", 'Say "so"', '      - "Say \\"so\\"": first/new.md\n'),
    ],
)
def test_titles_and_slugs(desk: Desk, after: str, title: str | None, line: str) -> None:
    done = desk.metalworking("new", "first/new", "--after", after, *(["--title", title] if title else []))
    assert done.exit_code == 0, done.output
    assert line in desk.text("mkdocs.yml")
    assert desk.metalworking("check").exit_code == 0
    if title:
        assert desk.text("docs/first/new.md").splitlines()[8] == f"# {title}"


def test_the_last_line_needs_no_line_end_and_windows_keeps_its_own(desk: Desk) -> None:
    path = desk.root / "mkdocs.yml"
    path.write_bytes(path.read_text(encoding="utf-8").rstrip("\n").replace("\n", "\r\n").encode())
    assert desk.metalworking("new", "second/four", "--after", "three").exit_code == 0
    assert path.read_bytes().endswith(b"    - second/three.md\r\n    - Four: second/four.md\r\n")


@pytest.mark.parametrize(
    ("nav", "said"),
    [
        (
            "nav: [index.md, first/one.md]\n",
            "mkdocs.yml:10: first/one.md does not stand on a line of its own (add by hand: - New: first/new.md)",
        ),
        (
            "nav:\n  - first/one.md\n  - Again: first/one.md\n",
            "mkdocs.yml:11: first/one.md is named several times (add by hand: - New: first/new.md)",
        ),
        ("nav:\n  - index.md\n", "mkdocs.yml: the nav does not name first/one.md (add: - New: first/new.md)"),
        (
            "nav:\n  - - first/one.md\n",
            "mkdocs.yml: Config value 'nav': Expected nav item to be a string or dict, got a list",
        ),
    ],
)
def test_a_nav_that_cannot_take_a_line(desk: Desk, nav: str, said: str) -> None:
    text = desk.text("mkdocs.yml")
    (desk.root / "mkdocs.yml").write_text(text[: text.index("nav:")] + nav, encoding="utf-8")
    before = desk.state()
    done = desk.metalworking("new", "first/new", "--after", "one")
    assert done.exit_code == 1
    assert said in done.stdout
    assert desk.state() == before


@pytest.mark.parametrize(
    ("callouts", "front"),
    [
        (
            "callouts: {from: 'PyTorch: eager', to: JAX, required: true, links: {docs: {label: In, url: 'https://x/'}}}",
            "callout:\n  term: none\n  verdict: none\n"
            '  carries: "Nothing yet. Say here what a PyTorch: eager reader may keep, or why nothing corresponds."\n',
        ),
        ("chapters: true", ""),
    ],
)
def test_the_template_speaks_of_what_the_site_speaks_of(desk: Desk, callouts: str, front: str) -> None:
    (desk.root / "mkdocs.yml").write_text(
        f"site_name: Other\nplugins: [metalworking: {{{callouts}}}]\nnav:\n  - index.md\n",
        encoding="utf-8",
    )
    for page in (desk.root / "docs").rglob("*.md"):
        page.unlink()
    (desk.root / "docs/index.md").write_text(f"---\n{front}---\n\n# Home\n", encoding="utf-8")
    done = desk.metalworking("new", "vmap", "--after", "index")
    assert done.exit_code == 0, done.output
    text = desk.text("docs/vmap.md")
    assert f'search and social previews."\n{front}---\n\n# Vmap\n' in text
    assert "CUDA" not in text
    assert ("PyTorch: eager names that lead here" in text) == bool(front)
    checked = desk.metalworking("check", "--strict")
    assert checked.exit_code == 0, checked.output


def test_a_site_without_nav_needs_no_line(desk: Desk) -> None:
    text = desk.text("mkdocs.yml")
    (desk.root / "mkdocs.yml").write_text(text[: text.index("nav:")], encoding="utf-8")
    done = desk.metalworking("new", "first/new", "--after", "one")
    assert done.exit_code == 0
    assert "mkdocs.yml has no nav" in done.stderr
    assert (desk.root / "docs/first/new.md").exists()


@pytest.mark.parametrize(
    ("page", "after", "said"),
    [
        ("first/one", "two", "docs/first/one.md: this page exists already (choose another slug)"),
        ("../new", "two", "'../new' cannot be the address of a page"),
        ("First/New", "two", "'First/New' cannot be the address of a page"),
        ("first/new", "nine", "mkdocs.yml: there is no page nine (to add it by hand: - New: first/new.md)"),
        ("third/new", "index", None),
        ("third/new", "same", "mkdocs.yml: same may be first/same.md, second/same.md (write its path below docs)"),
    ],
)
def test_refusals(desk: Desk, page: str, after: str, said: str | None) -> None:
    for folder in ("first", "second"):
        (desk.root / f"docs/{folder}/same.md").write_text("# Same\n", encoding="utf-8")
    before = desk.state()
    done = desk.metalworking("new", page, "--after", after)
    assert done.exit_code == (0 if said is None else 1)
    if said is not None:
        assert said in done.stdout
        assert desk.state() == before
