"""A site of random pages: build, check, lock and bump say the same of it."""

from __future__ import annotations

import json
import re

import pytest

from mkdocs_metalworking.hosts.mkdocs.site import Site as Reading
from mkdocs_metalworking.quote.blob import FileKey
from tests.cli.conftest import Desk, desk  # noqa: F401  # a fixture
from tests.structure.pages import COUNT, FILE, REPO, pages

PAGES = 60
EXTENSIONS = (
    "[admonition, attr_list, def_list, footnotes, md_in_html, tables, pymdownx.details, pymdownx.superfences,"
    " {pymdownx.tabbed: {alternate_style: true}}]"
)


@pytest.fixture
def random_site(desk: Desk) -> Desk:  # noqa: F811
    desk.add_repo(REPO, {FILE: "".join(f"int line{i};\n" for i in range(1, COUNT + 1)), "LICENSE": "MIT\n"})
    desk.references = "references:\n  - key: bare\n    title: Bare title\n"
    desk.write([(REPO, FILE)])
    desk.config("[footnotes, admonition]", EXTENSIONS)
    for seed, page in pages(PAGES, desk.commits[REPO][:7], first=500_000):
        # Without citations the footnotes are Python-Markdown's own affair, and one in another may end it.
        text = page.text if "[@" in page.text or "[^f" not in page.text else "# Page\n"
        (desk.root / f"docs/first/p{seed}.md").write_bytes(text.encode())
    return desk


def _told(text: str) -> set[str]:
    lines = (line.removeprefix("ERROR   -  ").strip() for line in text.splitlines())
    return {line for line in lines if re.match(r"docs/\S+:\d+: ", line)}


def test_build_check_and_lock_agree(random_site: Desk) -> None:
    built = random_site.build()
    checked = random_site.metalworking("check")
    assert built.returncode == 1
    assert checked.exit_code == 1
    assert _told(built.stderr) == _told(checked.stdout) != set()
    reading = Reading.load(str(random_site.root / "mkdocs.yml"))
    key = FileKey(REPO, random_site.commits[REPO], FILE)
    absent = FileKey(REPO, random_site.commits[REPO], "nowhere.c")
    assert set(reading.wanted()) == {key, absent}


def test_bump_moves_all_that_is_shown(random_site: Desk) -> None:
    """The sound pages move by three lines, and then say the same of the same lines: the proof of the bump holds."""
    told = _told(random_site.metalworking("check").stdout)
    wrong = {line.partition(":")[0] for line in told}
    for path in random_site.root.glob("docs/first/p*.md"):
        if f"docs/first/{path.name}" in wrong:
            path.unlink()
    before = {path: path.read_text(encoding="utf-8") for path in random_site.root.glob("docs/first/p*.md")}
    assert len(before) > 10
    new = random_site.commit(
        {FILE: "// one\n// two\n// three\n" + "".join(f"int line{i};\n" for i in range(1, COUNT + 1))}
    )
    done = random_site.metalworking("bump", REPO, "--json")
    assert done.exit_code == 0, done.stdout
    report = json.loads(done.stdout)
    assert report["written"]
    assert {place["outcome"] for place in report["places"]} == {"moved"}
    after = random_site.metalworking("check")
    assert after.exit_code == 0, after.stdout
    for path, text in before.items():
        moved = path.read_text(encoding="utf-8")
        assert len(moved.splitlines()) == len(text.splitlines())
        assert _numbers(moved) - _numbers(text) <= {n + 3 for n in _numbers(text)}
    assert any(new[:7] in path.read_text(encoding="utf-8") for path in before)


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"L(\d+)", text)}
