"""How the cost of an excerpt and of a page grows with their number, and a picture of it."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.measure import Bench, Row

EXCERPTS = (100, 1000, 10_000)
PAGES = (30, 100, 300, 1000, 3000)
_SMALL = ((4, 12), (2, 6))
_EXCERPT, _PAGE = "cost per excerpt", "cost per page"


def growth(bench: Bench) -> Iterator[Row]:
    """Milliseconds of a warm build per excerpt, on pages of their number, and per page, with five excerpts each.

    The cost of an excerpt is that of the site less that of the same site without code. The pages stand outside the nav.
    """
    counts, sizes = _SMALL if bench.small else (EXCERPTS, PAGES)
    yield from _rows(bench, _EXCERPT, [(max(1, count // 10), 10, count) for count in counts])
    yield from _rows(bench, _PAGE, [(pages, 5, pages) for pages in sizes])


def _rows(bench: Bench, what: str, shapes: Sequence[tuple[int, int, int]]) -> Iterator[Row]:
    first: list[float] = []
    for pages, excerpts, count in shapes:
        shape = replace(bench.shape, pages=pages, excerpts=excerpts, listed=False)
        with tempfile.TemporaryDirectory() as folder:
            inner = Bench(Path(folder), shape, 1 if pages >= 1000 else bench.repeats)
            ours, none = inner.alternate(lambda b=inner: b.run("metalworking"), lambda b=inner: b.run("none"))
        if what == _EXCERPT:
            cost = [(statistics.median(ours) - statistics.median(none)) / count * 1000]
        else:
            cost = [sample / count * 1000 for sample in ours]
        unit = "excerpts" if what == _EXCERPT else "pages"
        yield Row(f"{what}, {count} {unit}", f"{shapes[0][2]} {unit}" if first else "", None, cost, first, "ms")
        first = first or cost


def picture(run: dict[str, Any]) -> str:
    """Return the drawing of the rows that *growth* kept: both costs over the number of what they are per."""
    parts = [
        '<svg class="mw-svg" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 260" role="img"'
        ' aria-labelledby="growth-t growth-d">',
        '<title id="growth-t">What an excerpt and a page cost as their number grows</title>',
    ]
    told, drawn = [], []
    for left, what in ((0, _EXCERPT), (370, _PAGE)):
        points = _points(run, what)
        of = "excerpts" if what == _EXCERPT else "pages"
        told.append(
            f"{what[0].upper()}{what[1:]}: " + ", ".join(f"{cost:.3g} ms at {n:,} {of}" for n, cost in points) + "."
        )
        drawn += _panel(left, f"ms {what.removeprefix('cost ')}, by {of}", points)
    parts.append(f'<desc id="growth-d">{" ".join(told)}</desc>')
    return "\n".join([*parts, *drawn, "</svg>", ""])


def _points(run: dict[str, Any], what: str) -> list[tuple[int, float]]:
    found = []
    for row in run["rows"]:
        name = row["cells"][0]
        if row["row"] == "growth" and name.startswith(what):
            found.append((int(name.split()[-2].replace(",", "")), float(row["cells"][4].split()[0])))
    return found


def _panel(left: int, title: str, points: Sequence[tuple[int, float]]) -> list[str]:
    top = max(cost for _, cost in points) * 1.25
    low, high = math.log10(points[0][0]), math.log10(points[-1][0])
    x = [left + 50 + 260 * (math.log10(n) - low) / ((high - low) or 1) for n, _ in points]
    y = [220 - 170 * cost / top for _, cost in points]
    lines = [
        f'<text class="d-s" x="{left + 20}" y="24">{title}</text>',
        f'<path class="d-grid" d="M{left + 40} 220H{left + 330}"/>',
    ]
    lines.append(f'<path class="d-line" d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))}"/>')
    for a, b, (n, cost) in zip(x, y, points, strict=True):
        lines.append(f'<circle class="d-a" cx="{a:.1f}" cy="{b:.1f}" r="7"/>')
        lines.append(f'<text class="d-s d-mid" x="{a:.1f}" y="{b - 14:.1f}">{cost:.3g}</text>')
        lines.append(f'<text class="d-s d-mid" x="{a:.1f}" y="242">{n:,}</text>')
    return lines
