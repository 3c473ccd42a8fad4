#!/usr/bin/env python3
"""Run the climb several times and write what it measured.

climb.py                                  once, printed
climb.py --rounds 5 --write ../results.yml      five processes, merged

A row's value is the median over the processes of what each gave as its own median; its spread is the lowest and the
highest of those medians.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks" / "cuda"))

from run import cublas, machine, number  # noqa: E402  # the microbenchmarks' own


def climb() -> list[dict]:
    """Run the program once and return its rows. It exits with an error at the first wrong product."""
    environment = dict(os.environ)
    if "CUBLAS" not in environment and cublas():
        environment["CUBLAS"] = cublas()
    done = subprocess.run([HERE / "build" / "climb"], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"climb failed with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def merge(rounds: list[list[dict]]) -> list[dict]:
    """Make one row of the same row in every process."""
    merged = []
    for row in rounds[0]:
        values = [other["value"] for rows in rounds for other in rows if other["row"] == row["row"]]
        if len(values) != len(rounds):
            raise SystemExit(f"{row['row']} is missing from a round")
        merged.append({**row, "value": statistics.median(values), "spread": [min(values), max(values)]})
    return merged


def as_yaml(rows: list[dict], rounds: int, date: str) -> str:
    """Write the rows, one a line."""
    conditions = machine()
    built = HERE / "build" / "nvcc.txt"
    if built.exists() and (release := re.search(r"release \S+, V(\S+)", built.read_text())):
        conditions["toolkit"] = f"CUDA {release[1]}"
    lines = [
        "# Written by cuda/climb.py: all rungs and cuBLAS in turn, in each of several processes. `spread` is the",
        "# lowest and the highest of the processes' medians, `samples` the number of timings behind each of those.",
        f"date: {date}",
        "machine:",
        *(f"  {key}: {json.dumps(value)}" for key, value in conditions.items()),
        "method:",
        f"  rounds: {rounds}",
        "  flags: -O3 -std=c++17 -arch=sm_90",
        "  check: every product is compared with cuBLAS, at 4096^3 and at 515 x 387 x 259, before its row is printed",
        "rows:",
    ]
    for row in rows:
        fields = [
            f"value: {number(row['value'])}",
            f"unit: {row['unit']}",
            f"spread: [{number(row['spread'][0])}, {number(row['spread'][1])}]",
            f"samples: {row['samples']}",
            f"conditions: {json.dumps(row['conditions'])}",
            *(f"{key}: {row[key]}" for key in ("registers", "stack") if key in row),
        ]
        lines.append(f"  {row['row']}: {{{', '.join(fields)}}}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run, print and perhaps write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--write", metavar="FILE", type=Path, help="write the rows as YAML")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args()
    rows = merge([climb() for _ in range(options.rounds)])
    text = as_yaml(rows, options.rounds, options.date)
    print(text)
    if options.write:
        options.write.write_text(text)


if __name__ == "__main__":
    main()
