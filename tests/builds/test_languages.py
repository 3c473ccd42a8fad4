"""A site in another language: every word of ours is in it, on pages with an excerpt, a callout and chapters."""

from __future__ import annotations

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
