"""Pages made at random under ``serve``: after every save each is what a build from nothing writes; more in soak."""

from __future__ import annotations

import logging
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.builds.conftest import Site
from tests.builds.saves import Serve
from tests.structure.pages import COUNT, FILE, REPO, pages
from tests.structure.test_site import EXTENSIONS
from tests.support import ASK, NIGHT

PAGES, SAVES = (150, 4) if NIGHT else (90, 3)
# A template of one's own: what MkDocs' themes put around a page is the same for all, and most of the time.
MAIN = """\
{{ page.title }} {% for item in page.toc %}{{ item.url }} {% endfor %}
{{ page.content }}
{{ metalworking.place if metalworking }} {{ page.next_page.title if page.next_page }}
"""


def random_site(folder: Path) -> Site:
    """Return a site that quotes one file, with a theme of one template and no page yet."""
    site = Site(folder)
    site.add_repo(REPO, {FILE: "".join(f"int line{i};\n" for i in range(1, COUNT + 1))})
    site.references = "references:\n  - key: bare\n    title: Bare title\n"
    site.write([(REPO, FILE)])
    config = f"""\
site_name: Saved
theme: {{name: null, custom_dir: theme}}
plugins:
  - metalworking: {{store: store, offline: true, {ASK}}}
markdown_extensions: {EXTENSIONS}
"""
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    (folder / "theme").mkdir()
    (folder / "theme" / "main.html").write_text(MAIN, encoding="utf-8")
    return site


class _Told(logging.Handler):
    """What a build says of pages."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[record.getMessage()] += 1

    def take(self) -> Counter[str]:
        """Return what was said since the last time."""
        taken, self.lines = self.lines, Counter()
        return taken


def run(folder: Path, count: int, saves: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Serve *count* pages and save some of them *saves* times; returns how many were replayed, and what differed."""
    site, rng = random_site(folder), random.Random(first)
    sha, tally = site.commits[REPO][:7], Counter[str]()
    docs = folder / "docs"
    docs.mkdir()
    made = [page for _, page in pages(count + saves * count // 10, sha, first)]
    for number, page in enumerate(made[:count]):
        (docs / f"p{number}.md").write_bytes(page.text.encode())
    told, failures = _Told(), []
    with pytest.MonkeyPatch.context() as patch:
        serve = Serve(site, patch)
        replay = serve.plugin._replay
        assert replay is not None
        logging.getLogger("mkdocs").addHandler(told)
        try:
            serve.rebuild()
            fresh = iter(made[count:])
            for save in range(saves):
                for number in rng.sample(range(count), count // 10):
                    path = docs / f"p{number}.md"
                    # Another page may have another title, which all others could show; a line more leaves them alone.
                    text = next(fresh).text.encode() if save % 2 else path.read_bytes() + b"\nSaved again.\n"
                    path.write_bytes(text)
                told.take()
                served, said = serve.rebuild(), told.take()
                tally["restored"] += replay.restored
                tally["replayed"] += replay.templates.replayed
                tally["rendered"] += replay.templates.rendered
                clean, said_clean = serve.clean(), told.take()
                for name in sorted(served.keys() | clean.keys()):
                    if served.get(name) != clean.get(name):
                        source = docs / f"{Path(name).parent}.md"
                        text = source.read_text(encoding="utf-8") if source.is_file() else ""
                        failures.append(f"save {save}: {name} is not what a build writes\n{text}")
                if said != said_clean:
                    failures.append(f"save {save}: {said - said_clean} / {said_clean - said}")
                tally["told"] += sum(said.values())
        finally:
            logging.getLogger("mkdocs").removeHandler(told)
            serve.plugins.on_shutdown()
    return tally, failures


def test_saves_of_random_pages(tmp_path: Path) -> None:
    tally, failures = run(tmp_path, PAGES, SAVES, first=700_000)
    if failures:
        pytest.fail(f"{len(failures)} differ\n{failures[0]}")
    assert tally["restored"] > PAGES * SAVES / 5, tally
    assert tally["replayed"] > PAGES * SAVES / 5, tally
    assert tally["rendered"] >= PAGES * SAVES / 20, tally
    assert tally["told"] > PAGES / 10, tally
