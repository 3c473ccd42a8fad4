"""A few hundred pages made at random; 20,000 in ``make soak``."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.structure.account import check
from tests.structure.pages import COUNT, FILE, REPO, pages
from tests.support import NIGHT, Bench

PAGES = 400


def bench_in(folder: Path) -> Bench:
    """Return a bench with the one file that the pages quote."""
    bench = Bench(folder)
    bench.add_repo(REPO, {FILE: "".join(f"int line{i};\n" for i in range(1, COUNT + 1))})
    bench.references = "references:\n  - key: bare\n    title: Bare title\n"
    bench.write([(REPO, FILE)])
    return bench


def run(folder: Path, count: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Check *count* pages; returns what became of their mentions, and the failures with their seeds."""
    bench = bench_in(folder)
    project = bench.project()
    tally: Counter[str] = Counter()
    failures = []
    for seed, page in pages(count, bench.commits[REPO][:7], first):
        try:
            tally += check(bench, project, page)
        except Exception as error:
            failures.append(f"page {seed}: {type(error).__name__}: {error}\n{page.text}")
    project.close()
    return tally, failures


def test_pages_made_at_random(tmp_path: Path) -> None:
    tally, failures = run(tmp_path, PAGES * 5 if NIGHT else PAGES, random.randrange(1 << 40) if NIGHT else 0)
    if failures:
        pytest.fail(f"{len(failures)} of {PAGES}\n{failures[0]}")
    assert all(tally[name] > PAGES / 10 for name in ("shown", "literal", "reported")), tally
