"""What stands within each other: tabs in tabs, and elements so deep that a parser would stop at them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.builds.conftest import Site

MKDOCS = """\
site_name: Nested
site_url: https://example.org/
plugins: [metalworking: {store: store, offline: true}, metalworking-book: {forms: [html, epub, markdown], name: n}]
markdown_extensions: [md_in_html, admonition, pymdownx.superfences, pymdownx.tabbed: {alternate_style: STYLE}]
nav: [index.md]
"""
TABS = """\
# Tabs

Begin.

=== "Metal"

    === "MLX"

        << excerpt {k}:a.c#L1 >>

    === "llama.cpp"

        << excerpt {k}:a.c#L2 >>

=== "CUDA"

    << excerpt {k}:a.c#L3 >>

    !!! note

        === "Inner"

            << excerpt {k}:a.c#L4 >>

End.
"""
TOLD = ["Metal", "MLX", "line_1;", "llama.cpp", "line_2;", "CUDA", "line_3;", "Inner", "line_4;", "End."]


@pytest.fixture
def nested(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": "".join(f"line_{n};\n" for n in range(1, 9)), "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.c")])
    return site


def forms(site: Site) -> dict[str, str]:
    """Return the words of the one page in each form."""
    book = site.root / "build/book"
    with zipfile.ZipFile(book / "n.epub") as archive:
        epub = archive.read("EPUB/index.xhtml").decode()
    html = (book / "n.html").read_text(encoding="utf-8").split("</style>")[-1]
    found = {name: re.sub(r"<[^>]+>", "", text) for name, text in (("epub", epub), ("html", html))}
    for name in ("index.md", "llms-full.txt"):
        found[name] = (book / name).read_text(encoding="utf-8").replace("\\_", "_")
    return found


@pytest.mark.parametrize("style", ["true", "false"])
def test_each_tab_has_its_own_label(nested: Site, style: str) -> None:
    (nested.root / "mkdocs.yml").write_text(MKDOCS.replace("STYLE", style), encoding="utf-8")
    nested.page("index.md", TABS)
    done = nested.build("--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    known = "|".join(map(re.escape, TOLD))
    for name, text in forms(nested).items():
        assert re.findall(rf"(?<![\w.]){known}", text.partition("Begin.")[2]) == TOLD, name


@pytest.mark.parametrize("depth", [300, 3_000])
def test_what_stands_behind_deep_elements_is_there_or_an_error(nested: Site, depth: int) -> None:
    (nested.root / "mkdocs.yml").write_text(MKDOCS.replace("STYLE", "true"), encoding="utf-8")
    deep = f"{'<div>' * depth}x{'</div>' * depth}"
    nested.page("index.md", f"# Deep\n\n{deep}\n\n<< excerpt {{k}}:a.c#L1-3 >>\n\nLast words.\n")
    done = nested.build("--strict")
    if depth == 300:
        assert done.returncode == 0, done.stdout + done.stderr
        assert {name for name, text in forms(nested).items() if "line_3;" in text and "Last words" in text} == {
            *("epub", "html", "index.md", "llms-full.txt")
        }
    else:
        assert done.returncode == 1
        assert (
            "metalworking-book: index.md is nested too deep for a book (write it with fewer"
            in done.stdout + done.stderr
        )
        assert "Traceback" not in done.stderr
