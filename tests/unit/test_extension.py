"""The extension without MkDocs: configuration by name, its own sources and lock, errors raised at the page's end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import markdown
import pytest

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.markdown.extension import QuotationError
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.support import ASKED, Bench

WISHES = {"citations": True, "callouts": ASKED["callouts"]}
SOURCE = "kernel void f() {\n    g();\n}\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.add_repo("acme/kernels", {"f.metal": SOURCE})
    bench.write([("acme/kernels", "f.metal")])
    return bench


def convert(bench: Bench, text: str, **options: object) -> str:
    common = {"root": str(bench.root), "store": "store", "offline": True, "page": "a.md", **WISHES}
    config = {"mkdocs_metalworking": {**common, **options}}
    return markdown.markdown(text, extensions=["mkdocs_metalworking"], extension_configs=config)


def test_excerpt_callout_and_citation_by_entry_point(bench: Bench) -> None:
    sha = bench.commits["acme/kernels"][:7]
    html = convert(
        bench,
        "---\ncuda: {term: Kernel, verdict: transfers}\n---\n\n# F\n\n"
        f"<< excerpt acme/kernels@{sha}:f.metal#L2 >>\n\n"
        "Said [@acme/kernels:f.metal#L1].\n",
    )
    assert '<aside aria-label="If you know CUDA" class="mw-callout mw-v-transfers">' in html
    assert '<span class="n">g</span>' in html or '<span class="nf">g</span>' in html
    assert '<div class="footnote">' in html
    assert "---" not in html


def test_errors_are_raised_together_when_nobody_collects_them(bench: Bench) -> None:
    sha = bench.commits["acme/kernels"][:7]
    with pytest.raises(QuotationError) as caught:
        convert(bench, f"<< excerpt acme/kernels@{sha}:f.metal#L9 >>\n\n<< excerpt acme/kernels@{sha}:f.metal#L0 >>\n")
    assert str(caught.value).splitlines() == [
        "a.md:1: L9 runs past the end: f.metal has 3 lines (the last line is L3)",
        "a.md:3: range 'L0' names line 0 (lines count from 1)",
    ]


def test_a_page_without_bytes_is_a_card_and_no_error(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "code").rename(tmp_path / "away")
    sha = bench.commits["acme/kernels"][:7]
    assert "mw-card" in convert(bench, f"<< excerpt acme/kernels@{sha}:f.metal#L2 >>\n")


def test_one_markdown_instance_converts_many_pages(bench: Bench) -> None:
    sha = bench.commits["acme/kernels"][:7]
    options = {"root": str(bench.root), "store": "store", "offline": True, **WISHES}
    config = {"mkdocs_metalworking": options}
    md = markdown.Markdown(extensions=["mkdocs_metalworking"], extension_configs=config)
    text = f"<< excerpt acme/kernels@{sha}:f.metal#L2 >>\n\nSaid [@acme/kernels:f.metal].\n"
    first = md.reset().convert(text)
    assert md.reset().convert(text) == first, "ids and footnotes start afresh"


def test_unknown_transport_is_refused() -> None:
    with pytest.raises(MetalworkingError, match="unknown transport 'ftp'"):
        Settings.of({"transports": ["ftp"]})


def test_importing_the_core_loads_neither_mkdocs_nor_markdown() -> None:
    program = (
        "import json, pkgutil, importlib, sys; import mkdocs_metalworking.quote as core\n"
        "for m in pkgutil.walk_packages(core.__path__, core.__name__ + '.'): importlib.import_module(m.name)\n"
        "print(json.dumps(sorted({n.split('.')[0] for n in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "mkdocs_metalworking" in loaded
    assert not loaded & {"mkdocs", "markdown", "pygments", "material"}


def test_the_markdown_layer_does_not_load_mkdocs() -> None:
    program = "import mkdocs_metalworking.markdown.extension, sys; print('mkdocs' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_cards_are_told_and_may_be_fatal(bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "code").rename(tmp_path / "away")
    text = f"<< excerpt acme/kernels@{bench.commits['acme/kernels'][:7]}:f.metal#L2 >>\n"
    with caplog.at_level("WARNING", logger="mkdocs_metalworking"):
        assert "mw-card" in convert(bench, text)
    (told,) = caplog.messages
    assert told.startswith(f"a.md:1: acme/kernels@{bench.commits['acme/kernels'][:7]}:f.metal could not be read")
    with pytest.raises(QuotationError, match="could not be read"):
        convert(bench, text, strict=True)


def test_a_page_ends_once_however_many_headings_it_has(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The table of contents finishes each heading by itself, as if it were a page, before the page is done."""
    sha = bench.commits["acme/kernels"][:7]
    options = {"root": str(bench.root), "store": "store", "offline": True, "page": "a.md", **WISHES}

    def converted(text: str) -> str:
        names = ["mkdocs_metalworking", "toc", "attr_list", "md_in_html"]
        return markdown.markdown(text, extensions=names, extension_configs={"mkdocs_metalworking": options})

    wrong = f'# One\n\n<< excerpt acme/kernels@{sha}:f.metal#L9 >>\n\n## Two\n\n<p class="mw-pre">x</p>\n'
    with pytest.raises(QuotationError) as caught:
        converted(wrong)
    assert str(caught.value).splitlines() == [
        "a.md:3: L9 runs past the end: f.metal has 3 lines (the last line is L3)",
        "a.md:7: mw-pre is a class of quoted code (give the element another class)",
    ]
    (bench.root / "code").rename(tmp_path / "elsewhere")
    shutil.rmtree(bench.root / "store", ignore_errors=True)
    with caplog.at_level("WARNING", logger="mkdocs_metalworking"):
        assert "mw-card" in converted(f"# One\n\n## Two\n\n<< excerpt acme/kernels@{sha}:f.metal#L2 >>\n\n## Three\n")
    assert len(caplog.messages) == 1


def test_a_changed_lock_is_read_again(bench: Bench) -> None:
    sha = bench.commits["acme/kernels"][:7]
    text = f"<< excerpt acme/kernels@{sha}:f.metal#L2 >>\n"
    assert "mw-excerpt" in convert(bench, text)
    lock = bench.root / "sources.lock"
    lock.write_text(lock.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(QuotationError, match=r"not in sources\.lock"):
        convert(bench, text)


def test_a_card_of_the_extension_alone_goes_when_the_clone_comes_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/kernels", {"add.metal": "kernel void add() {}\n"})
    bench.write([("acme/kernels", "add.metal")])
    options = {"root": str(tmp_path), "store": str(tmp_path / "store"), "offline": True}
    md = markdown.Markdown(extensions=["mkdocs_metalworking"], extension_configs={"mkdocs_metalworking": options})
    text = f"<< excerpt acme/kernels@{commit[:7]}:add.metal >>\n"
    (tmp_path / "code/acme/kernels").rename(tmp_path / "away")
    assert "mw-card" in md.convert(text)
    (tmp_path / "away").rename(tmp_path / "code/acme/kernels")
    assert "mw-card" not in md.reset().convert(text)
