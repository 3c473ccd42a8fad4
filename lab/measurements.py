"""The files of measurements/: their schema, and what no machine can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "measurements"
# Wide limits on any chip of the decade: what lies beyond is a mistake of a unit, a timer or a compiler.
LIMITS = {"G/s": (1e-3, 1e6), "GB/s": (0.1, 40_000), "ns": (0.05, 10_000), "us": (0.05, 10_000)}
ABOVE = 1.05  # a chip may pass its own published peak by so much: clocks vary


def load() -> dict[str, dict[str, Any]]:
    """Return the documents by file name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def faults(told: dict[str, Any], probes: list[dict[str, Any]], chips: dict[str, dict[str, float]]) -> list[str]:
    """Return what is wrong with a document, one sentence each; an empty list when nothing is."""
    schema = json.loads((HERE / "measurement.schema.json").read_text(encoding="utf-8"))
    found = [
        f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(told)
    ]
    if found:
        return found
    known = {(probe["id"], case["case"]): (probe["unit"], case) for probe in probes for case in probe["cases"]}
    seen: set[tuple[str, str]] = set()
    values: dict[tuple[str, str], float] = {}
    for row in told["results"]:
        key = (row["probe"], row["case"])
        name = f"{row['probe']}, {row['case']}"
        if key not in known:
            found.append(f"{name}: no such case")
            continue
        if key in seen:
            found.append(f"{name}: twice")
        seen.add(key)
        if row["unit"] != known[key][0]:
            found.append(f"{name}: in {row['unit']}, not {known[key][0]}")
        if row["state"] == "wrong":
            found.append(f"{name}: the kernel gave a wrong result; that is a report of a fault, not a measurement")
        if row["state"] != "ok":
            continue
        values[key] = row["value"]
        low, high = LIMITS[row["unit"]]
        if not low <= row["value"] <= high:
            found.append(f"{name}: {row['value']} {row['unit']} is outside {low} to {high}")
        if not row["spread"][0] <= row["value"] <= row["spread"][1]:
            found.append(f"{name}: the value lies outside its own quartiles")
    return found + _beyond(told, values, known, chips)


def _beyond(
    told: dict[str, Any],
    values: dict[tuple[str, str], float],
    known: dict[tuple[str, str], tuple[str, dict[str, Any]]],
    chips: dict[str, dict[str, float]],
) -> list[str]:
    """Return what exceeds the chip's published peaks, and cells that contradict one another."""
    found = []
    chip = chips.get(told["machine"]["chip"])
    for key, value in values.items():
        peak = known[key][1].get("chip")
        cell = chip and peak and chip.get(peak)
        if cell and (most := cell * (500 if peak == "tflops_fp32" else 1) * ABOVE) < value:
            found.append(f"{', '.join(key)}: {value:g} is above the chip's {most:g}")
    chase = [values[key] for key in known if key[0] == "chase" and key in values and "KiB" in key[1]]
    if chase and min(chase) < chase[0] * 0.8:
        found.append("chase: a larger buffer of KiB is faster than the smallest")
    reads = {key[1]: value for key, value in values.items() if key[0] == "bandwidth"}
    for size in ("128 MiB", "256 MiB", "512 MiB"):
        read, copy = reads.get(f"read {size}"), reads.get(f"copy {size}")
        if read and copy and copy > 2 * read:
            found.append(f"bandwidth: a copy of {size} is more than twice as fast as a read")
    return found
