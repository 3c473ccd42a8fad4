"""From a case to a row of the report, whatever became of it. The twin of docs/assets/lab/run.js."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lab.gpu import Gpu
from lab.kinds import KINDS, SLOTS, Result, Size, Wrong
from lab.method import Lost, Refused, Stopped, TooSlow, tick
from lab.probes import Case, cases


def timer(gpu: Gpu, latency: Case, source: str) -> tuple[float, str]:
    """Return the step of the device's timer in seconds, from forty runs of different lengths, and which timer it is."""
    out, spare = gpu.buffer(SLOTS * 4), gpu.buffer(16)
    pipeline, bound = gpu.pipeline(latency.code(source, longer=False)), gpu.bind(out, spare, gpu.buffer(16))
    trips = 1
    while trips < 1 << 18 and gpu.time(pipeline, bound, 1, trips) < 0.0005:
        trips *= 4
    times = [gpu.time(pipeline, bound, 1, trips + turn * trips // 40) for turn in range(40)]
    return tick(times), "wall" if gpu.wall else "timestamp"


def run_case(
    gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool] = lambda: False
) -> Result:
    """Measure one case and return its row of the report, whatever became of it. Raises Stopped and Lost."""
    row: Result = {"probe": case.probe, "case": case.name, "unit": case.unit}
    missing = [name for name in case.features if name not in gpu.features]
    if missing:
        return {**row, "state": "unsupported", "why": f"this device has no {missing[0]}"}
    try:
        return {**row, **KINDS[case.kind](gpu, case, source, size, step, stopped)}
    except Wrong as error:
        return {**row, "state": "wrong", "why": str(error)}
    except Refused as error:
        return {**row, "state": "unsupported", "why": f"the kernel was refused: {error}"}
    except TooSlow as error:
        return {**row, "state": "unstable", "why": str(error)}


def run_all(gpu: Gpu, probes: list[dict[str, Any]], wgsl: dict[str, str], size: Size, step: float) -> Iterator[Result]:
    """Yield the row of every case. After a device is lost the rest is told as lost."""
    gone = ""
    for probe in probes:
        for case in cases(probe):
            row = {"probe": case.probe, "case": case.name, "unit": case.unit}
            try:
                yield (
                    {**row, "state": "lost", "why": gone}
                    if gone
                    else run_case(gpu, case, wgsl[case.values["file"]], size, step)
                )
            except Lost as error:
                gone = str(error)
                yield {**row, "state": "lost", "why": gone}
            except Stopped:
                return
