"""What no Markdown extension sees, and what another plugin claims, on a real build; check and build agree on a line."""

from __future__ import annotations

import re

import pytest

from tests.builds.conftest import Site

HOOK = '''
"""Makes a page's HTML by itself, as a plugin for notebooks does."""

from mkdocs.structure.pages import Page

DIRECTIVE = "&lt;&lt; excerpt acme/kernels@0123456:a.c &gt;&gt;"
HTML = f"<p>Said [@acme/kernels:add.metal#L1].</p><pre>[@literal]</pre><p>{DIRECTIVE}</p>"


def on_pre_page(page, config, files):
    if page.file.src_uri == "first/two.md":
        page.render = lambda config, files: setattr(page, "content", HTML) or setattr(page, "toc", [])
    return page
'''


def test_a_page_that_is_made_without_markdown(site: Site) -> None:
    (site.root / "hook.py").write_text(HOOK, encoding="utf-8")
    site.config("site_name: Test", "site_name: Test\nhooks: [hook.py]")
    done = site.build()
    assert done.returncode == 1
    told = re.findall(r"docs/first/two\.md: left over as text: (\S+ ?\S*)", done.stderr)
    assert told == ["[@acme/kernels:add.metal#L1] (write", "<< excerpt"]


def test_a_bibliography_is_refused_unless_citations_are_its_own(
    site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    package = site.root / "plugins"
    package.mkdir()
    (package / "bib.py").write_text(
        "from mkdocs.plugins import BasePlugin\n\n\nclass Bib(BasePlugin):\n"
        "    def on_page_markdown(self, markdown, **_):\n        return markdown.replace('[@', '[')\n",
        encoding="utf-8",
    )
    (package / "bib-1.dist-info").mkdir()
    (package / "bib-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: bib\nVersion: 1\n")
    (package / "bib-1.dist-info/entry_points.txt").write_text("[mkdocs.plugins]\nbibtex = bib:Bib\n")
    site.config("plugins:\n", "plugins:\n  - bibtex\n")
    command = ("mkdocs", "build", "--strict")
    refused = site.run_with({"PYTHONPATH": str(package)}, *command)
    assert refused.returncode == 1
    assert "the bibtex plugin reads [@key] too" in refused.stderr
    site.config('"citations": true', '"citations": false')
    done = site.run_with({"PYTHONPATH": str(package)}, *command)
    assert done.returncode == 0, done.stderr
    assert "A claim [acme/kernels:add.metal#L1]." in site.html("first/one/index.html")


def test_check_and_build_have_one_idea_of_a_line(site: Site) -> None:
    wrong = "<< excerpt acme/kernels@0123456:x.c >>"
    text = f"# Three\n\na\u2028b\n\nc\x0cd\x85\n\nx\u2028{wrong}\n\n{wrong}\n\n---\nprose: here\n---\n"
    (site.root / "docs/second/three.md").write_bytes(text.encode())
    (site.root / "docs/first/two.md").write_bytes(f"---\nprose between two rules\n---\n\n{wrong}\n".encode())
    built = set(re.findall(r"docs/\S+:\d+: [^\n]*", site.build().stderr))
    checked = set(re.findall(r"docs/\S+:\d+: [^\n]*", site.run("mkdocs_metalworking", "check").stdout))
    assert built == checked
    assert sorted(line.partition(": ")[0] for line in built) == [
        "docs/first/two.md:5",
        "docs/second/three.md:7",
        "docs/second/three.md:9",
    ]
