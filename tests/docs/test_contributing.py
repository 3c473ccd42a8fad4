"""A page from idea to site, by the very commands of docs/contributing, in a fresh copy of this repository."""

from __future__ import annotations

import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.docs.blocks import Workshop, blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/machine/index.md", "docs/machine/gpu-core.md")
"""Of the pages in the book's folders only these are taken: the others would be built again and prove nothing more."""


@pytest.fixture
def fresh(tmp_path: Path) -> Workshop:
    """The repository as someone clones it, with the clones of its sources where this machine has them."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in names:
        if name.startswith(("tests/", "benchmarks/")) or (fnmatch(name, "docs/*/*.md") and name not in PAGES):
            continue
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    if (ROOT / "code").is_dir():
        (tmp_path / "code").symlink_to(ROOT / "code", target_is_directory=True)
    return Workshop(tmp_path)


def test_three_commands(fresh: Workshop) -> None:
    page = (ROOT / "docs/contributing/index.md").read_text(encoding="utf-8")
    commands = [one for block in blocks(page) if block.lang == "console" for one in block.commands]
    assert len(commands) == 3
    (new, shown), (add, directive), (build, _) = commands
    fresh.check(new, shown)
    fresh.check(add, directive)
    path = fresh.root / "docs/machine/clusters.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n{directive[0]}\n", encoding="utf-8")
    done = fresh.run(build)
    assert done.returncode == 0, done.stdout
    html = (fresh.root / "site/machine/clusters/index.html").read_text(encoding="utf-8")
    assert re.search(r'<figure class="mw-excerpt[^>]*>\s*<figcaption', html), "quoted, or a card where no bytes are"
    assert 'class="mw-callout' in html
    after = (fresh.root / "site/machine/gpu-core/index.html").read_text(encoding="utf-8")
    assert re.search(r'rel="next"[^>]*>\s*<span class="mw-next-label">Next</span>\s*<span[^>]*>Clusters<', after)
