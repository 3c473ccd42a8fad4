"""What CUDA measured on the H200, turned into a probe's unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from benchmarks.cuda.results import read

HERE = Path(__file__).resolve().parents[1]
# benchmarks/cuda/results.yml, device: SMs, schedulers in each, lanes of a warp, and the clock in GHz that it held.
SMS, SCHEDULERS, WARP, CLOCK = 132, 4, 32, 1.98
TOLERANCE = 0.10


def _scale(value: float, how: str) -> float:
    """Return a row of results.yml as operations or GB in 10^9 a second, or as ns or us."""
    return {
        "same": lambda: value,
        "per_sm": lambda: value * SMS * CLOCK,  # operations per SM and cycle
        "per_scheduler": lambda: SMS * SCHEDULERS * WARP * CLOCK / value,  # cycles of a scheduler per warp
        "per_warp": lambda: SMS * WARP * CLOCK / value,  # cycles of an SM per warp
        "cycles": lambda: value / CLOCK,
        "one_warp": lambda: WARP * CLOCK / value,  # cycles between two links of each lane's chain
        "tflops": lambda: value * 500,  # two operations in a multiply-add
    }[how]()


def load() -> dict[tuple[str, str], float]:
    """Return every row of the CUDA programs and of the ladder, by program and row."""
    told = read()["probes"]
    rows = {(name, row): found["value"] for name, probe in told.items() for row, found in probe["rows"].items()}
    ladder = yaml.safe_load((HERE / "ladder/results.yml").read_text(encoding="utf-8"))["rows"]
    return {**rows, **{("ladder", row): found["value"] for row, found in ladder.items()}}


def twin(rows: dict[tuple[str, str], float], case: dict[str, Any]) -> float | None:
    """Return the value of a case's CUDA twin in the probe's unit, or None. Raises KeyError where its row is not."""
    if "twin" not in case:
        return None
    program, row, how = case["twin"]
    return float(f"{_scale(rows[program, row], how):.5g}")
