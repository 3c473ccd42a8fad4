"""``make bench``: the table of docs/plugin/speed.md, measured in one run on one machine.

Rows compare what was measured in turns in this run; figures of different runs are not compared. ``--small`` runs
everything on a tiny site, which is what the test does; ``--long`` adds what takes long; ``--only NAME`` runs one row;
``--keep`` writes the rows to benchmarks/speed.json and the table onto the page. Exits 1 when a goal that the
kept rows meet is missed on a machine quiet enough to judge.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.browsing import reader
from benchmarks.builds import cold_build, engines, full_build, memory, numbers
from benchmarks.fetching import fetching
from benchmarks.growth import growth, picture
from benchmarks.measure import BOOK, NOISY, Bench, Row, noise
from benchmarks.reading import weight
from benchmarks.servers import servers
from benchmarks.sites import Shape
from benchmarks.writing import book, commands, serve

KEPT = BOOK / "benchmarks" / "speed.json"
PAGE = BOOK / "docs" / "plugin" / "speed.md"
PICTURE = PAGE.with_name("growth.svg")
HEAD = "| what | compared with | goal | ratio | ours | theirs |\n|---|---|---|--:|--:|--:|"
ROWS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "full": full_build,
    "cold": cold_build,
    "serve": serve,
    "commands": commands,
    "book": book,
    "servers": servers,
    "memory": memory,
    "weight": weight,
    "reader": reader,
    "numbers": numbers,
    "fetch": fetching,
    "engines": engines,
    "growth": growth,
}
LONG = ("fetch", "engines", "growth")
"""Rows that only ``--long`` measures, unless they are named."""


def line(cells: list[str]) -> str:
    """Return a line of the table."""
    return f"| {' | '.join(cells)} |"


def machine() -> str:
    """Return what the table was measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def measured(bench: Bench, names: list[str]) -> Iterator[tuple[str, Row]]:
    """Yield each row with its name as soon as it is measured."""
    for name in names:
        before = noise()
        for row in ROWS[name](bench):
            row.noise = max(before, noise())
            loud = f"  (other work: x {row.noise:.2f})" if row.noise > NOISY else ""
            print(line(row.cells()) + loud, file=sys.stderr, flush=True)
            yield name, row


def kept(path: Path = KEPT) -> dict[str, Any]:
    """Return the run that was kept last; nothing when none was."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
    return found


def lost(rows: list[Row], before: dict[str, Any]) -> list[Row]:
    """Return the rows whose goal *before* met, and these do not, on a machine quiet enough to say so."""
    met = {(row["what"], row["against"]) for row in before["rows"] if row["met"]}
    return [row for row in rows if row.met is False and row.noise <= NOISY and (row.what, row.against) in met]


def as_data(rows: list[tuple[str, Row]]) -> dict[str, Any]:
    """Return what is kept of a run."""
    git = subprocess.run(["git", "-C", str(BOOK), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    told = [
        {
            "row": name,
            "what": row.what,
            "against": row.against,
            "cells": row.cells(),
            "met": row.met,
            "noise": round(row.noise, 2),
        }
        for name, row in rows
    ]
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return {"commit": git.stdout.strip(), "date": day, "machine": machine(), "rows": told}


def table(run: dict[str, Any]) -> str:
    """Return the table of a run that was kept, and what it was measured on."""
    lines = [line(row["cells"]) for row in run["rows"]]
    noisy = [row["what"] for row in run["rows"] if row["noise"] > NOISY]
    said = f"\n\n{run['machine']}, {run['date']}, commit {run['commit'][:7]}"
    if noisy:
        said += "; other work ran beside: " + "; ".join(dict.fromkeys(noisy))
    return "\n".join([HEAD, *lines]) + said + "."


_TABLE = re.compile(rf"^{re.escape(HEAD)}\n.*?\n\n[^\n]*$", re.DOTALL | re.MULTILINE)


def with_table(page: str, run: dict[str, Any]) -> str:
    """Return the Markdown of the page with the table of *run* in the place of the one that it has."""
    return _TABLE.sub(lambda _: table(run), page, count=1)


def main() -> None:
    """Measure, print, compare, and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tiny site, to see that everything runs")
    parser.add_argument("--long", action="store_true", help="more sites, more pages, more comparisons")
    parser.add_argument("--only", choices=ROWS, action="append", help="one row; may be repeated")
    parser.add_argument("--keep", action="store_true", help="write the rows to benchmarks/speed.json")
    parser.add_argument("--repeats", type=int, default=0)
    options = parser.parse_args()
    shape = Shape(pages=6, files=4, length=80, excerpts=2, lines=10) if options.small else Shape()
    names = options.only or [name for name in ROWS if options.long or name not in LONG]
    folder = Path(tempfile.mkdtemp(prefix="metalworking-bench-"))
    try:
        bench = Bench(folder, shape, options.repeats or (1 if options.small else 3), options.long)
        start = time.monotonic()
        rows = list(measured(bench, names))
        print(f"{(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join([HEAD, *(line(row.cells()) for _, row in rows)]))
    print(f"\n{machine()}.")
    missed = lost([row for _, row in rows], kept())
    if options.keep:
        run = as_data(rows)
        KEPT.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), run), encoding="utf-8")
        if any(row["row"] == "growth" for row in run["rows"]):
            PICTURE.write_text(picture(run), encoding="utf-8")
    for row in missed:
        print(
            f"lost: {row.what} against {row.against or 'its goal'}: {row.value:.2f}, goal {row.goal}", file=sys.stderr
        )
    if missed and not options.small:
        sys.exit(1)


if __name__ == "__main__":
    main()
