"""The promise, on this book itself: every quoted line equals the git object it names.

Runs over everything whose bytes can be had here: clones under code/, the store, a package index. What the package
index delivers is required unless there is no network at all; the count of the rest is printed.
"""

from __future__ import annotations

import functools
import hashlib
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest

from mkdocs_metalworking.git.command import find_git_dir
from mkdocs_metalworking.glossary.labels import labels_for
from mkdocs_metalworking.markdown.anchors import LineNames
from mkdocs_metalworking.markdown.figure import code
from mkdocs_metalworking.quote.blob import LockedFile
from mkdocs_metalworking.quote.diagnostics import Severity
from tests.book.conftest import Whole

ROOT = Path(__file__).parents[2]
LINE = re.compile(r'<span class="mw-l[^"]*" id="[^"]*"><a [^>]*data-n="(\d+)"[^>]*></a>(.*?)\n</span>', re.DOTALL)
MARK = re.compile(r'<span class="mw-ctl" data-cp="([0-9a-f]+)"[^>]*>[^<]*</span>')


def shown_lines(html: str) -> dict[int, str]:
    """Return the text of each numbered line as a browser would give it to the clipboard."""
    found = {}
    for number, line in LINE.findall(html):
        # Marks first become private characters, so that unescaping cannot touch them.
        kept = MARK.sub(lambda m: chr(0xF0000 + int(m[1], 16)), line)
        text = unescape(re.sub(r"<[^>]*>", "", kept))
        found[int(number)] = re.sub("[\U000f0000-\U000fffff]", lambda m: chr(ord(m[0]) - 0xF0000), text)
    return found


@functools.cache
def object_lines(file: LockedFile) -> list[str] | None:
    """Return the lines of the blob as git has it, or None where no clone does."""
    git_dir = find_git_dir(ROOT / "code" / file.key.repo)
    if git_dir is None:
        return None
    # By commit and path, not by the locked id: the lock itself is under test.
    name = f"{file.key.commit}:{file.key.path}"
    done = subprocess.run(["git", "--git-dir", str(git_dir), "cat-file", "blob", name], capture_output=True)
    if done.returncode:
        return None
    return [line.removesuffix("\r") for line in done.stdout.decode().removeprefix("\ufeff").split("\n")]


def delivered_lines(data: bytes, file: LockedFile) -> list[str]:
    """Return the lines of bytes that a package or the store brought, when they are the locked object."""
    assert hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == file.blob, str(file.key)
    return [line.removesuffix("\r") for line in data.decode().removeprefix("\ufeff").split("\n")]


def test_every_quoted_line_equals_the_git_object(whole: Whole, capsys: pytest.CaptureFixture[str]) -> None:
    site, project, problems = whole
    assert [str(problem) for problem in problems.of(Severity.ERROR)] == []
    checked = unchecked = lines = 0
    packaged = {(pin.repo, pin.commit) for pin in project.sources.pins if pin.packages}
    missing = set()
    for page in site.pages.values():
        for quotation in page.quotations:
            if quotation.segments is None:
                unchecked += 1
                if (quotation.pin.repo, quotation.pin.commit) in packaged:
                    missing.add(str(quotation.file.key))
                continue
            shown = shown_lines(code(quotation, LineNames().give(quotation), labels_for()))
            if quotation.region is not None:  # this book's own code, as its files are
                assert project.worktree is not None
                data = project.worktree.read(quotation.file.key.path)[1]
                wanted: list[str] | None = delivered_lines(data, quotation.file)
            else:
                wanted = object_lines(quotation.file)
            if wanted is None:
                wanted = delivered_lines(project.resolver.resolve(quotation.file).data, quotation.file)
            numbers = [n for r in quotation.ranges for n in range(r.first, (r.last or 0) + 1)]
            assert sorted(shown) == numbers, page.path
            for segment in quotation.segments:
                first = wanted[segment.first - 1]
                cut = len(first) - len(segment.lines[0])
                for number, _ in enumerate(segment.lines, segment.first):
                    source = wanted[number - 1]
                    assert shown[number] in (source, source[cut:]), f"{page.path}: {quotation.file.key}#L{number}"
                    assert source.endswith(shown[number])
                    lines += 1
            checked += 1
    with capsys.disabled():
        print(f"\n{checked} excerpts, {lines} lines equal their git objects; {unchecked} could not be read here")
    assert not missing, "the package index delivers these"
    assert checked


def test_readme_says_how_many_excerpts_a_package_index_delivers(whole: Whole) -> None:
    """Which files the archives hold is known by what they are: all of llama.cpp, and the headers of MLX."""
    site, project, _ = whole
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpts = [(q.file.key.repo, q.file.key.path) for page in site.pages.values() for q in page.quotations]
    packed = {"ggml-org/llama.cpp": "", "ml-explore/mlx": ".h"}
    assert {pin.repo for pin in project.sources.pins if pin.packages} == set(packed)
    own = sum(repo == "self" for repo, _ in excerpts)
    shown = own + sum(repo in packed and path.endswith(packed[repo]) for repo, path in excerpts)
    assert own == 3
    assert f"Of {len(excerpts)} excerpts, {shown} are shown" in readme
    assert f"The other {len(excerpts) - shown} appear as cards" in readme
