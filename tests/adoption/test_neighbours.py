"""Beside other plugins: a site built with one shows of our pages what it shows without it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.adoption.conftest import KERNEL, Project, code_of
from tests.adoption.neighbours import Neighbour, neighbours
from tests.forked import python_m
from tests.support import ASK, NIGHT, git

# The first site of docs/plugin/index.md with a nav and a store of its own.
MKDOCS = """\
site_name: Notes on Metal
site_url: https://example.org/notes/
theme:
  name: material
plugins:
  - search
{before}  - metalworking: {{store: store, {ask}}}
{after}{extensions}nav:
  - index.md
  - Part:
      - part/index.md
      - part/one.md
      - part/two.md
{config}"""
ONE = """\
---
summary: Adds two arrays.
cuda:
  term: Kernel
  verdict: resized
  carries: Kept [@acme/kernels:src/add.metal#L1, M1].
---

# One

{inside}

<< excerpt {k}:src/add.metal#L1,L3-6 hl=5 title="Add" >>
- L5: The *store*.
- L3-4: Two lines.

A claim [@acme/kernels:src/add.metal#L1] and a note.[^n]

[^n]: Said in passing.
"""
TWO = "# Two\n\n- In a list:\n\n    << excerpt {k}:src/add.metal#L2-7 >>\n    - L5: The store.\n\nSee [one](one.md).\n"
MORE = [(1, "constant int ONE = 1;"), (2, "constant int TWO = 2;")]
PARTS = {
    "captions": "figcaption",
    "notes": "li.mw-note",
    "footnotes": ".footnote li",
    "callouts": "aside.mw-callout, .mw-summary",
    "endings": "nav.mw-place, .mw-linked-from",
    "contents": "ol.mw-contents",
}


def lay_out(project: Project, neighbour: Neighbour | None = None, order: str = "") -> None:
    """Write the first site, with *neighbour* in front of our plugin or behind it."""
    line = f"  - {neighbour.name}{f': {neighbour.options}' if neighbour.options else ''}\n" if neighbour else ""
    line += neighbour.also if neighbour else ""
    extensions = f"markdown_extensions: [{neighbour.extensions}]\n" if neighbour and neighbour.extensions else ""
    text = MKDOCS.format(
        ask=ASK,
        before=line if order == "before" else "",
        after=line if order == "after" else "",
        extensions=extensions,
        config=neighbour.config if neighbour else "",
    )
    project.put("mkdocs.yml", text)
    project.put("docs/index.md", "# Home\n\nBegin with [one](part/one.md).\n")
    project.put("docs/part/index.md", "# Part\n")
    inside = neighbour.filled(neighbour.text) if neighbour and neighbour.text else "Text."
    project.put("docs/part/one.md", ONE.replace("{inside}", inside))
    project.put("docs/part/two.md", TWO)
    for name, content in (neighbour.files if neighbour else {}).items():
        project.put(name, neighbour.filled(content) if neighbour else content)
    if neighbour and neighbour.git:
        commit(project.root)


def commit(root: Path) -> None:
    """Make *root* a repository with one commit of the site."""
    git(root, "init", "-q", "-b", "main")
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org"}.items():
        git(root, "config", key, value)
    git(root, "add", "docs", "mkdocs.yml")
    git(root, "commit", "-q", "-m", "Site")


def run(project: Project, *command: str) -> subprocess.CompletedProcess[str]:
    return python_m(*command, cwd=project.root)


def facts(project: Project) -> dict[str, object]:
    """Return what is ours on the pages of the part, as a reader and a search find it."""
    found: dict[str, object] = {}
    for name in ("part", "part/one", "part/two"):
        flat = "part/index.html" if name == "part" else f"{name}.html"  # offline: no addresses without a file
        html = project.html(flat if (project.root / "site" / flat).exists() else f"{name}/index.html")
        soup = BeautifulSoup(html, "html.parser")
        for gone in soup.select(".headerlink, .footnote-backref"):
            gone.decompose()
        found[f"{name} code"] = [code for code in code_of(html) if code not in MORE]
        for part, selector in PARTS.items():
            texts = (re.sub(r"\s+", " ", one.get_text()).strip() for one in soup.select(selector))
            found[f"{name} {part}"] = [text for text in texts if "more.metal" not in text and "note on it" not in text]
    index = project.root / "site/search/search_index.json"
    if index.exists():
        docs = json.loads(index.read_text(encoding="utf-8"))["docs"]
        ours = [doc for doc in docs if doc["location"].startswith("part/two")]
        found["all search"] = {doc["location"]: re.sub(r"\s+", " ", doc["text"]) for doc in ours}
    return found


def made(root: Path) -> Project:
    """Return a bench whose repository has a file that only neighbours quote; no lock is written."""
    project = Project(root)
    more = "".join(f"{text}\n" for _, text in MORE)
    project.add_repo("acme/kernels", {"src/add.metal": KERNEL, "src/more.metal": more})
    project.write([])
    (root / "sources.lock").unlink()
    return project


@pytest.fixture
def site(tmp_path: Path) -> Project:
    return made(tmp_path / "project")


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the first site shows without any neighbour."""
    project = made(tmp_path_factory.mktemp("alone") / "project")
    lay_out(project)
    done = run(project, "mkdocs_metalworking", "lock")
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(project, "mkdocs", "build", "--strict")
    assert done.returncode == 0, done.stderr
    found = facts(project)
    assert all(found[f"part/one {part}"] for part in (*PARTS, "code") if part != "contents")
    return found


def cases() -> list[object]:
    return [
        pytest.param(neighbour, order, id=f"{neighbour.name}-{order}")
        for neighbour in neighbours()
        for order in neighbour.orders
        if NIGHT or neighbour.daily
    ]


@pytest.mark.parametrize(("neighbour", "order"), cases())
def test_neighbour(site: Project, alone: dict[str, object], neighbour: Neighbour, order: str) -> None:
    if neighbour.package:
        try:
            importlib.metadata.version(neighbour.package)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{neighbour.package} is not installed (make nightly)")
    lay_out(site, neighbour, order)
    if neighbour.refused:
        done = run(site, "mkdocs", "build")
        assert done.returncode == 1
        assert neighbour.refused in done.stdout + done.stderr
        return
    done = run(site, "mkdocs_metalworking", "lock")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"sources.lock: {neighbour.locked} files" in done.stderr, done.stderr
    built = run(site, "mkdocs", "build")
    assert built.returncode == 0, built.stdout + built.stderr
    assert "Traceback" not in built.stderr
    found = facts(site)
    for name, expected in alone.items():
        if name.rpartition(" ")[2] not in neighbour.changes:
            assert found.get(name) == expected, name
    for page, text in neighbour.proof.items():
        assert text in site.html(page), page
    for page, text in neighbour.absent.items():
        assert text not in site.html(page), page
    for page, count in neighbour.quotes.items():
        html = site.html(page)
        assert [code for code in code_of(html) if code in MORE] == MORE * count, page
        assert "data-mw=" not in html, "no words in the place of code"
        assert html.count("A note on it") >= count, page
    counts = re.findall(r"Quoted (\d+) of (\d+) excerpts", built.stderr)
    assert counts
    assert all(shown == all_ for shown, all_ in counts)
    if order == neighbour.orders[0]:
        checked = run(site, "mkdocs_metalworking", "check")
        assert checked.returncode == 0, checked.stdout


def test_mike_deploys_a_version(site: Project) -> None:
    lay_out(site)
    assert run(site, "mkdocs_metalworking", "lock").returncode == 0
    commit(site.root)
    programs = str(Path(sys.executable).parent)
    program = shutil.which("mike", path=programs)
    assert program is not None
    command = [program, "deploy", "1.0", "latest"]
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}  # mike calls the engine by its name
    done = subprocess.run(command, cwd=site.root, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    html = subprocess.run(
        ["git", "-C", str(site.root), "show", "gh-pages:1.0/part/two/index.html"], capture_output=True, check=True
    ).stdout.decode()
    assert code_of(html) == [(number, text) for number, text in enumerate(KERNEL.splitlines(), 1) if 2 <= number <= 7]


def test_the_printed_page_has_each_id_once_and_its_links_lead_there(site: Project) -> None:
    pytest.importorskip("mkdocs_print_site_plugin")
    neighbour = next(one for one in neighbours() if one.name == "print-site")
    lay_out(site, replace(neighbour, extensions="attr_list, md_in_html"), "after")
    site.put("mapping.yml", "- {cuda: warp, metal: simdgroup, verdict: transfers}\n")
    config = (site.root / "mkdocs.yml").read_text(encoding="utf-8")
    site.put("mkdocs.yml", config.replace("{store: store,", "{store: store, mapping: mapping.yml,"))
    # Lines that three pages quote, one of them at the root; a link to a line within a page, and to one of another.
    line = "excerpt--{blob}-L2) and [there](part/one.md#--{blob}-L5)"
    site.put(
        "docs/index.md",
        f"# Home\n\n<!-- mapping-table -->\n\n<< excerpt {{k}}:src/add.metal#L2-7 >>\n\n[Here](#{line}\n",
    )
    assert run(site, "mkdocs_metalworking", "lock").returncode == 0
    blob = next(iter(site.project().lock.files.values())).blob[:7]
    path = site.root / "docs/index.md"
    path.write_text(path.read_text(encoding="utf-8").replace("{blob}", blob), encoding="utf-8")
    built = run(site, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    printed = BeautifulSoup(site.html("print_page/index.html"), "html.parser")
    ids = Counter(str(one["id"]) for one in printed.select("[id]"))
    assert [name for name, count in ids.items() if count > 1] == []
    assert {f"excerpt--{blob}-L2", f"--{blob}-L5"} & set(ids) == set(), "each page's are its own"
    links = {str(one["href"])[1:] for one in printed.select('#print-site-page a[href^="#"]')}
    assert {f"index-excerpt--{blob}-L2", f"part-one---{blob}-L5"} <= links
    # The links back from footnotes lead nowhere on its page without this plugin, too.
    assert {link for link in links if link not in ids and "-fnref:" not in link} == set()


def test_the_engine_of_with_pdf_lays_captions_and_notes_out_in_lines(site: Project) -> None:
    weasyprint = pytest.importorskip("weasyprint")
    lay_out(site)
    assert run(site, "mkdocs_metalworking", "lock").returncode == 0
    assert run(site, "mkdocs", "build").returncode == 0
    document = weasyprint.HTML(filename=str(site.root / "site/part/one/index.html")).render()
    boxes = [box for page in document.pages for box in page._page_box.descendants()]
    widths = {box.element_tag: box.width for box in boxes if box.element_tag in ("figure", "figcaption", "article")}
    assert widths["figcaption"] > 0.9 * widths["figure"] > 100
    notes = [box for box in boxes if box.element_tag == "li" and "mw-note" in (box.element.get("class") or "")]
    assert max(box.width for box in notes) > 0.8 * widths["figure"]


def test_macros_with_our_delimiters_are_refused(site: Project) -> None:
    options = "{j2_variable_start_string: '<<', j2_variable_end_string: '>>'}"
    lay_out(site, Neighbour("macros", options=options), "before")
    built = run(site, "mkdocs", "build")
    assert built.returncode == 1
    said = built.stdout + built.stderr
    assert "the macros plugin has j2_variable_start_string: '<<', which would consume excerpt directives" in said
    assert "choose other delimiters" in said
    assert "Traceback" not in said
