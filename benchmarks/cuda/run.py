#!/usr/bin/env python3
"""Run the probes and print or write their rows.

run.py barrier            one probe, once, printed
run.py gemm_tiled         one twin, once, checked and printed
run.py --rounds 5 --write results.yml      every probe, five times in turn, merged and written; every twin, once

A row's value is the median over the rounds of what each process gave as its own median; its spread is the lowest and
the highest of those medians. Rounds go through all probes, so that minutes lie between two runs of the same one. A
threshold ("..._enough") is the highest of the rounds: what was enough in all of them.
"""

from __future__ import annotations

import argparse
import datetime
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROBES = {
    "device": "What the device reports, and the clock it holds",
    "fma": "FMA rate by type, and the latency of one dependent FMA",
    "matrix": "Matrix product rates, through cuBLAS and through mma.sync",
    "bandwidth": "Read, write and copy bandwidth by size",
    "coalescing": "Useful bandwidth of strided, misaligned and scattered 4-byte reads",
    "chase": "Latency of a dependent load by working set",
    "barrier": "Cycles of a barrier by warps in the block",
    "shuffle": "Latency and throughput of exchanges between lanes",
    "occupancy": "FMA rate by warps an SM and independent chains a thread",
    "registers": "Live accumulators a thread, up to the limit and past it",
    "blocking": "Outer products from shared memory by the size of the register grid",
    "special": "Throughput of exponentials, roots, division and integer work",
    "atomics": "Atomic additions in global and shared memory",
    "banks": "Shared-memory reads by stride and width",
    "launch": "Launches one by one, in a stream and in a graph",
    "double_buffering": "One tile loop, staged in seven ways",
    "decode": "A 4-bit matrix times a vector, and decode attention",
    "reduction": "Sums in a block and of an array, joined in five ways",
    "split_k": "A product with few tiles by parts of K, joined by a kernel and by atomics",
}
TWINS = {path.stem: path.stem.replace("_", "-") for path in sorted((HERE / "twins").glob("*.cu"))}


def cublas() -> str:
    """Find libcublas: what CUBLAS names, else the Python package nvidia-cublas, else whatever the loader knows."""
    for folder in sys.path:
        for found in sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublas.so.1[23]"))):
            return found
    return ""


def program(name: str) -> Path:
    """The built program of a probe or a twin."""
    return HERE / "build" / ("twins" if name in TWINS else "") / name


def run_probe(name: str) -> list[dict]:
    """Run a probe or a twin once and return its rows. One that finds a wrong result exits with an error."""
    environment = dict(os.environ)
    if name == "matrix" and "CUBLAS" not in environment and cublas():
        environment["CUBLAS"] = cublas()
    done = subprocess.run([program(name)], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        raise SystemExit(f"{name} failed with {done.returncode} after {len(rows)} rows")
    return rows


def compiler_report(name: str) -> dict[str, tuple[int, int]]:
    """Return bytes of spill stores and loads by mangled kernel name, out of ptxas -v."""
    path, found, kernel = program(name).with_suffix(".ptxas"), {}, ""
    for line in path.read_text().splitlines() if path.exists() else ():
        if match := re.search(r"Function properties for (\S+)|Compiling entry function '([^']+)'", line):
            kernel = match[1] or match[2]
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            found[kernel] = int(match[1]), int(match[2])
    return found


def merge(name: str, rounds: list[list[dict]]) -> list[dict]:
    """Make one row of the same row in every round."""
    spills, merged = compiler_report(name), []
    for first in rounds[0]:
        same = [row for rows in rounds for row in rows if row["row"] == first["row"]]
        values = [row["value"] for row in same]
        if len(values) != len(rounds):
            raise SystemExit(f"{name}: {first['row']} is missing from a round")
        row = {
            "row": first["row"],
            "value": max(values) if first["row"].endswith("_enough") else statistics.median(values),
            "unit": first["unit"],
            "spread": [min(values), max(values)],
            "samples": first["samples"],
            "conditions": first["conditions"],
        }
        if "kernel" in first:
            row |= {key: first[key] for key in ("registers", "stack", "shared")}
            row["spill_stores"], row["spill_loads"] = spills.get(first["kernel"], (None, None))
        merged.append(row)
    return merged


def number(value: float) -> str:
    """Four significant digits at least, and no exponent."""
    text = f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"
    return f"{float(text):.10g}" if "e" in text else text


def show(name: str, rows: list[dict]) -> None:
    """Print a table for people."""
    print(f"\n{name}: {PROBES.get(name) or 'the twin of docs/kernels/' + TWINS[name] + '.md'}")
    for row in rows:
        spread = f"{number(row['spread'][0])} to {number(row['spread'][1])}"
        line = f"  {row['row']:<34} {number(row['value']):>9} {row['unit']:<20} {spread:<22} {row['conditions']}"
        if "registers" in row:
            line += f" [{row['registers']} registers, spills {row['spill_stores']}/{row['spill_loads']} bytes]"
        print(line)


def output(*command: str) -> str:
    """Return what a command prints, or nothing when it is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def machine() -> dict[str, str]:
    """Name the GPU, the driver and the toolkit."""
    query = "name,driver_version,power.limit,clocks.max.sm,clocks.max.mem"
    fields = [f.strip() for f in output("nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader").split(",")]
    keys = ["gpu", "driver", "power_limit", "max_sm_clock", "max_memory_clock"]
    release = re.search(r"release \S+, V(\S+)", output(os.environ.get("NVCC", "nvcc"), "--version"))
    return {**dict(zip(keys, fields, strict=False)), "toolkit": f"CUDA {release[1]}" if release else "unknown"}


def document(results: dict[str, list[dict]], rounds: int, date: str) -> dict:
    """What a run on one machine found, as results.yml holds it. `results` has the rows of probes and twins by name."""
    here = machine()

    def rows(name: str) -> dict:
        return {row["row"]: {k: v for k, v in row.items() if k != "row"} | {"machines": [1]} for row in results[name]}

    return {
        "machines": {1: {"date": date, "rounds": rounds, **here}},
        "method": {
            "flags": "-O3 -std=c++17 -arch=sm_90",
            "check": "every kernel's result is compared with the host before its row is printed",
        },
        "probes": {n: {"title": PROBES[n], "source": f"{n}.cu", "rows": rows(n)} for n in results if n in PROBES},
        "twins": {n: {"page": TWINS[n], "source": f"twins/{n}.cu", "rows": rows(n)} for n in results if n in TWINS},
    }


def scalar(value: object) -> str:
    """A value of a row in YAML: strings quoted, numbers short, lists and mappings in flow style."""
    if isinstance(value, list):
        return f"[{', '.join(scalar(v) for v in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {scalar(v)}' for k, v in value.items())}}}"
    return json.dumps(value) if isinstance(value, str) else number(value)


def as_yaml(found: dict) -> str:
    """Write a document, one row a line, without a YAML library."""
    lines = [
        "# Written by run.py and machines.py; the README says what each probe measures and what each field means.",
        "machines:",
        *(f"  {n}: {scalar(named)}" for n, named in found["machines"].items()),
        "method:",
        *(f"  {key}: {scalar(value)}" for key, value in found["method"].items()),
    ]
    for group in ("probes", "twins"):
        lines.append(f"{group}:" if found[group] else f"{group}: {{}}")
        for name, entry in found[group].items():
            lines.append(f"  {name}:")
            lines += [f"    {key}: {scalar(value)}" for key, value in entry.items() if key != "rows"]
            lines.append("    rows:")
            for row, fields in entry["rows"].items():
                lines.append(f"      {row}: {scalar({k: v for k, v in fields.items() if v is not None})}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probes", nargs="*", help=f"of {', '.join([*PROBES, *TWINS])}; all when left out")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--write", metavar="FILE", help="write the rows as YAML")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args()
    names = options.probes or [*PROBES, *TWINS]
    if unknown := set(names) - set(PROBES) - set(TWINS):
        parser.error(f"no such probe: {', '.join(sorted(unknown))}")
    gathered: dict[str, list[list[dict]]] = {name: [] for name in names}
    for turn in range(options.rounds):
        for name in (n for n in names if not turn or n in PROBES):  # a twin gives the same every time
            start = time.monotonic()
            gathered[name].append(run_probe(name))
            print(f"round {turn + 1}, {name}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    results = {name: merge(name, rounds) for name, rounds in gathered.items()}
    for name, rows in results.items():
        show(name, rows)
    if options.write:
        (HERE / options.write).write_text(as_yaml(document(results, options.rounds, options.date)))


if __name__ == "__main__":
    main()
