"""A site in another language: every word of ours is in it, on pages with an excerpt, a callout and chapters."""

from __future__ import annotations

import zipfile

from tests.builds.conftest import Site


def test_words_of_ours_are_in_the_language_of_the_theme(site: Site) -> None:
    site.config("  font: false\n", "  font: false\n  language: de\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    one = site.html("first/one/index.html")
    for word in ("Wer CUDA kennt", "Gilt weiter", "Weiter", "Lesereihenfolge", "1 von 2"):
        assert word in one, word
    assert "Hier endet das Kapitel." in site.html("first/two/index.html")
    for word in ("If you know", "Linked from", ">Next<", ">Previous<", "chapter ends"):
        assert word not in one, word


def test_the_locale_of_a_theme_is_a_language_too(site: Site) -> None:
    """MkDocs' own themes are told a locale, and write it as a system does: no tag of HTML, of an EPUB, of ours."""
    site.config("name: material\n  font: false\n", "name: mkdocs\n  locale: pt_BR\n")
    site.config("markdown_ext", "  - metalworking-book: {forms: [html, epub]}\nmarkdown_ext")
    done = site.build()
    assert done.returncode == 0, done.stderr
    assert "Ordem de leitura" in site.html("first/one/index.html")
    book = site.root / "build/book"
    assert '<html lang="pt-BR" dir="ltr">' in (book / "test.html").read_text(encoding="utf-8")
    with zipfile.ZipFile(book / "test.epub") as made:
        assert "<dc:language>pt-BR</dc:language>" in made.read("EPUB/content.opf").decode()
        pages = [made.read(name).decode() for name in made.namelist() if name.endswith(".xhtml")]
    assert pages
    for page in pages:
        assert "pt_BR" not in page


def test_a_label_of_the_site_s_own(site: Site) -> None:
    site.config('"chapters": true', '"chapters": true, labels: {next: Onward}')
    assert site.build().returncode == 0
    assert ">Onward<" in site.html("first/one/index.html")


def test_a_label_that_nobody_knows_ends_the_build(site: Site) -> None:
    site.config('"chapters": true', '"chapters": true, labels: {nxt: Onward}')
    done = site.build()
    assert done.returncode == 1
    assert "labels: there is no label 'nxt'" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
