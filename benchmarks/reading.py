"""What a reader loads."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Bench, Row


def weight(bench: Bench) -> Iterator[Row]:
    """What a first visit to a page loads, compressed: its HTML and every style and script that it names."""
    for way in ("metalworking", "fences"):
        bench.run(way)
    ours, theirs = (
        [_loaded(page) for page in sorted((bench.site(way) / "site").glob("page*/index.html"))]
        for way in ("metalworking", "fences")
    )
    against = "stock Material, code pasted"
    sums = ([sum(pair) for pair in pages] for pages in (ours, theirs))
    yield Row("page weight, HTML, CSS and JS, gzip", against, 1.15, *sums, unit="KiB")
    html = ([first for first, _ in pages] for pages in (ours, theirs))
    yield Row("page weight, HTML alone, gzip", against, None, *html, unit="KiB")


def _loaded(page: Path) -> tuple[float, float]:
    """Return the KiB of a page's HTML and of the styles and scripts that it names."""
    text = page.read_text(encoding="utf-8")
    names = re.findall(r'<link rel="stylesheet" href="([^"?#]+)|<script src="([^"?#]+)', text)
    files = [(page.parent / (style or script)).resolve() for style, script in names]
    return len(gzip.compress(text.encode())) / 1024, sum(len(gzip.compress(f.read_bytes())) for f in files) / 1024
