"""Beside the plugins that sites of this kind use: each builds, and the quoted lines come out as committed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adoption.conftest import Project, call, code_of, quoted
from tests.support import git

PLUGINS = {
    "awesome-nav": "  - awesome-nav\n",
    "macros": "  - macros\n",
    "include-markdown": "  - include-markdown\n",
    "redirects": "  - redirects:\n      redirect_maps: {old.md: one.md}\n",
    "minify": "  - minify:\n      minify_html: true\n      minify_css: true\n      minify_js: true\n"
    "      css_files: [extra.css]\n      js_files: [extra.js]\n",
    "mike": "  - mike\n",
    "llmstxt": "  - llmstxt:\n      full_output: llms-full.txt\n      sections: {Pages: [one.md, two.md]}\n",
}
EXPECTED = {"awesome-nav": "Renamed", "macros": "Sum: 3", "include-markdown": "From a part."}
MKDOCS = """\
site_name: Neighbours
site_url: https://example.org/
theme: {{name: material, font: false}}
plugins:
  - search
{before}  - metalworking: {{store: store, offline: true}}
{after}markdown_extensions: [footnotes, attr_list]
"""
PAGE = "# One\n\n{inside}\n\n"
PAGE += "<< excerpt {k}:src/add.metal#L2-6 hl=5 >>\n- L5: The store.\n\n[@acme/kernels:src/add.metal#L1]\n"
INSIDE = {
    "macros": "Sum: {{ 1 + 2 }}",
    "include-markdown": '{% include-markdown "../parts/part.md" %}',
}


def site(project: Project, name: str, *, first: bool) -> Project:
    plugin = PLUGINS[name]
    project.put("mkdocs.yml", MKDOCS.format(before=plugin if first else "", after="" if first else plugin))
    project.put("docs/index.md", "# Home\n\n[one](one.md)\n")
    project.put("docs/one.md", PAGE.replace("{inside}", INSIDE.get(name, "Text.")))
    project.put("docs/two.md", "# Two\n\n<< excerpt {k}:src/add.metal#L1 >>\n")
    project.put("docs/extra.css", "body { color: red; }\n")
    project.put("docs/extra.js", "var a = 1;\n")
    project.put("parts/part.md", "From a part.\n\n<< excerpt {k}:src/add.metal#L7 >>\n")
    project.put("docs/.nav.yml", "nav: [index.md, Renamed: one.md, two.md]\n")
    project.write([("acme/kernels", "src/add.metal")])
    return project


ORDERS = [(name, True) for name in PLUGINS] + [(name, False) for name in ("macros", "include-markdown", "llmstxt")]
"""The order of plugins matters for those that change or read a page's text."""


@pytest.mark.parametrize(
    ("name", "first"), ORDERS, ids=lambda value: {True: "before", False: "after"}.get(value, value)
)
def test_neighbour(project: Project, name: str, first: bool) -> None:
    site(project, name, first=first)
    built = call(Path(sys.executable), project.root, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    html = project.html("one/index.html")
    included = quoted(7, 7) if name == "include-markdown" else []
    assert code_of(html) == [*included, *quoted(2, 6)]
    assert EXPECTED.get(name, "Text.") in html
    if name == "redirects":
        assert "url=../one/" in project.html("old/index.html")
    if name == "llmstxt":
        assert "\n".join(line for _, line in quoted(2, 6)) in project.html("llms-full.txt")
        assert "One" in project.html("llms.txt")


def test_mike_deploys_a_version(project: Project) -> None:
    site(project, "mike", first=False)
    git(project.root, "init", "-q", "-b", "main")
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org"}.items():
        git(project.root, "config", key, value)
    git(project.root, "add", "docs", "mkdocs.yml")
    git(project.root, "commit", "-q", "-m", "Site")
    programs = str(Path(sys.executable).parent)
    program = shutil.which("mike", path=programs)
    assert program is not None
    command = [program, "deploy", "1.0", "latest"]
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}  # mike calls the engine by its name
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    html = subprocess.run(
        ["git", "-C", str(project.root), "show", "gh-pages:1.0/one/index.html"], capture_output=True, check=True
    ).stdout.decode()
    assert code_of(html) == quoted(2, 6)


def test_macros_with_our_delimiters_are_refused(project: Project) -> None:
    site(project, "macros", first=True)
    text = (project.root / "mkdocs.yml").read_text(encoding="utf-8")
    options = "  - macros:\n      j2_variable_start_string: '<<'\n      j2_variable_end_string: '>>'\n"
    project.put("mkdocs.yml", text.replace("  - macros\n", options))
    built = call(Path(sys.executable), project.root, "mkdocs", "build")
    assert built.returncode == 1
    said = built.stdout + built.stderr
    assert "the macros plugin has j2_variable_start_string: '<<', which would consume excerpt directives" in said
    assert "choose other delimiters" in said
    assert not re.search(r"Traceback", said)
