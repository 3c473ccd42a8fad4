"""This book, read once, and a small site with everything that a book must carry, made into all of its forms once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mkdocs_metalworking.deliver.project import Project
from mkdocs_metalworking.hosts.mkdocs.site import Site as Read
from mkdocs_metalworking.quote.diagnostics import Diagnostics
from tests.builds.conftest import KERNEL, Site
from tests.conftest import CHROMIUM
from tests.support import ASK

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c63f80f00010101001a5a4d1f0000000049454e44ae426082"
)
LONG = "// " + "a_word_that_goes_on_and_" * 12 + "\n"
STYLES = """\
:root{--mine:#123456}.mw-svg :is(.d-arrow,.d-line){fill:none;stroke:var(--mine)}
.mw-svg .dotted{fill:url(#dots) var(--mine)}
"""
TEMPLATE = """\
{% extends "base.html" %}
{% block container %}
<svg class="mw-textures" width="0" height="0"><defs>
<pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse">
<circle cx="2" cy="2" r="1"/></pattern></defs></svg>
{{ super() }}
{% endblock %}
"""
MKDOCS = """\
site_name: Small Book
site_description: A book of two chapters.
site_url: https://example.org/small/
copyright: Text MIT.
site_dir: build/book-site
theme:
  name: material
  font: false
plugins:
  - search
  - metalworking: {store: store, offline: true, ASK}
  - metalworking-book:
      forms: [FORMS]
      name: small
markdown_extensions:
  - admonition
  - attr_list
  - footnotes
  - md_in_html
  - tables
  - toc:
      permalink: true
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.tabbed:
      alternate_style: true
extra_css: [extra.css]
nav:
  - Home: index.md
  - First:
      - first/index.md
      - One, the First: first/one.md
      - first/two.md
  - Second:
      - second/three.md
  - Appendix: appendix.md
  - About:
      - about/index.md
""".replace("ASK}", f"{ASK}}}")
ONE = """\
---
summary: Adds two arrays.
cuda:
  term: Kernel
  verdict: resized
  carries: As in CUDA.
  misleads: Not quite [@acme/kernels:add.metal#L1].
---

# One

See [two](two.md#deep), [the appendix](../appendix.md) and [how it is made](../about/index.md).

## In code

<< excerpt {k}:add.metal#L1,L4-9 hl=8 title="Add" >>
- L8: One element a thread.

<< excerpt {k}:long.metal#L1-2 collapse >>

A claim [@acme/kernels:add.metal#L1-2, checked] and another [@paper, M1].[^aside]
Two at once [@acme/kernels:add.metal#L3] [@paper].

[^aside]: Said in passing.

## In pictures

<figure class="mw-diagram">
<svg class="mw-svg" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 100" role="img" aria-labelledby="one-t one-d">
<title id="one-t">An arrow</title><desc id="one-d">It points to the right.</desc>
<defs><marker id="one-arrow" markerWidth="8" markerHeight="8" refX="7" refY="4">
<path class="d-head" d="M0 0L8 4L0 8z"/></marker></defs>
<path class="d-arrow" d="M10 50H700" marker-end="url(#one-arrow)"/></svg>
<figcaption>An arrow.</figcaption>
</figure>

![A dot](dot.png)

=== "Here"

    Under the first tab.

=== "There"

    Under the second tab.

??? note "Folded"

    Inside.

| Name | Value |
|:---|---:|
| a | 1 |
"""


class Whole(NamedTuple):
    """This book as `check` reads it, with whatever brings bytes here."""

    site: Read
    project: Project
    problems: Diagnostics


@pytest.fixture(scope="session")
def whole() -> Iterator[Whole]:
    site = Read.load(str(Path(__file__).resolve().parents[2] / "mkdocs.yml"))
    project = site.project(offline=False)
    yield Whole(site, project, site.read(project))
    project.close()


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Site:
    for name in ("ebooklib", "lxml", "markdownify"):
        pytest.importorskip(name)
    site = Site(tmp_path_factory.mktemp("book"))
    site.add_repo(
        "acme/kernels", {"add.metal": KERNEL, "long.metal": LONG + "kernel void f() {}\n", "LICENSE": "MIT\n"}
    )
    site.references = "references:\n  - key: paper\n    title: A Paper\n    url: https://example.org/paper\n"
    site.write([("acme/kernels", "add.metal"), ("acme/kernels", "long.metal")])
    forms = "html, epub, markdown" + (", pdf" if CHROMIUM else "")
    config = MKDOCS.replace("FORMS", forms).replace("  font:", "  custom_dir: overrides\n  font:")
    (site.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    site.page("index.md", "# Small Book\n\nBegin with [one](first/one.md).\n")
    site.page("first/index.md", "---\nsummary: The first chapter.\n---\n\n# The first chapter\n\nIts words.\n")
    site.page("first/one.md", ONE)
    blob = next(file.blob[:7] for file in site.project().lock.files.values() if file.key.path == "add.metal")
    site.page("first/two.md", f"# Two\n\n## Deep\n\nBack to [its line](one.md#--{blob}-L8).\n")
    site.page("second/three.md", "# Three\n\n" + "A paragraph that fills a line or two. " * 8 + "\n")
    site.page("appendix.md", "# Appendix\n\nThe end.\n")
    site.page("about/index.md", "---\nchapter: false\n---\n\n# About\n\nNot in the book.\n")
    site.page("extra.css", STYLES)
    (site.root / "overrides").mkdir()
    (site.root / "overrides/main.html").write_text(TEMPLATE, encoding="utf-8")
    (site.root / "docs/first/dot.png").write_bytes(PIXEL)
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="session")
def folder(small: Site) -> Path:
    return small.root / "build/book"
