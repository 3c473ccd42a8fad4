#!/usr/bin/env python3
"""Add what further machines found to a results file.

machines.py results.yml second.yml        both written by run.py; needs PyYAML

The first file's values stay: pages cite them. A row that the other file has too gets that machine's number and, in
`across`, the lowest and the highest value over its machines. A row that only the other file has is taken over.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import yaml
from run import as_yaml


def add(found: dict, other: dict) -> None:
    """Add the rows of one document to another, in place. Both are as run.document makes them."""
    offset = len(found["machines"])
    found["machines"] |= {offset + n: named for n, named in other["machines"].items()}
    for group in ("probes", "twins"):
        for name, entry in other[group].items():
            rows = found[group].setdefault(name, {**entry, "rows": {}})["rows"]
            for row, fields in entry["rows"].items():
                numbers = [offset + n for n in fields["machines"]]
                if row not in rows:
                    rows[row] = {**fields, "machines": numbers}
                    continue
                mine = rows[row]
                low, high = mine.get("across", [mine["value"]] * 2)
                theirs = fields.get("across", [fields["value"]])
                mine["machines"] += numbers
                mine["across"] = [min(low, *theirs), max(high, *theirs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("others", type=Path, nargs="+")
    options = parser.parse_args()
    found = yaml.safe_load(options.results.read_text(encoding="utf-8"))
    for path in options.others:
        add(found, yaml.safe_load(path.read_text(encoding="utf-8")))
    options.results.write_text(as_yaml(found), encoding="utf-8")


if __name__ == "__main__":
    main()
