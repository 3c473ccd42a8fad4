"""How each kind of probe is run: its buffers, its checks, and what is given to the method.

The twin of the middle of docs/assets/lab/run.js.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lab import expected
from lab.gpu import PRODUCT, Gpu
from lab.method import CAP, ROUNDS, Summary, measure
from lab.probes import Case

SLOTS = 65536  # words of the result that most probes keep
ORDER_STEP = 32  # words in a line of 128 bytes


@dataclass(frozen=True)
class Size:
    """How much to spend: most workgroups, bytes in a buffer, steps in a body, rounds, seconds (None: by the timer)."""

    groups: int = 1 << 16
    bytes: int = 1 << 40
    steps: int = 1 << 10
    rounds: int = ROUNDS
    want: float | None = None


SMALL = Size(groups=2, bytes=1 << 20, steps=3, rounds=7, want=0.0005)
Result = dict[str, Any]


class Wrong(Exception):
    """A kernel left behind something else than the CPU worked out."""


def _number(summary: Summary, work: float, case: Case, times: float = 1.0) -> Result:
    scale = {"G/s": 1e-9, "GB/s": 1e-9, "ns": 1e9, "us": 1e6}[case.unit]
    low, high = summary.quartiles
    if case.measure == "rate":
        low, high = high, low

    def value(seconds: float) -> float:
        told = work * times / seconds if case.measure == "rate" else seconds / (work * times)
        return float(f"{told * scale:.5g}")

    if summary.state != "ok":
        return {"state": summary.state, "why": summary.why}
    return {"state": "ok", "value": value(summary.seconds), "spread": [value(low), value(high)]}


def _loop(gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool]) -> Result:
    case = replace(case, values={**case.values, "STEPS": min(case.values["STEPS"], size.steps)})
    values = case.values
    if values["GROUP"] > gpu.most_threads:
        return {"state": "unsupported", "why": f"at most {gpu.most_threads} threads in a group here"}
    if values.get("bytes", 0) > min(size.bytes, gpu.most_bytes):
        return {"state": "unsupported", "why": "the buffer is larger than this device or run allows"}
    pair = (gpu.pipeline(case.code(source, longer=False)), gpu.pipeline(case.code(source, longer=True)))
    words = values["words"] if case.check == "tally" else SLOTS
    out = gpu.buffer(words * 4 * (2 if "array<vec2u>" in source else 1))
    spare = gpu.buffer(16)
    bound = gpu.bind(out, spare, gpu.buffer(16))
    tallies = case.check == "tally"

    def threads(groups: int) -> int:
        return groups * int(values["GROUP"])

    groups = min(int(values["groups"]), size.groups) if not case.fixed_grid else int(values["groups"])
    if size.groups < 64:
        groups = min(groups, 2)
    # A grid that a slow device cannot run once within the limit is made smaller, unless the grid is the question.
    if not case.fixed_grid:
        small = min(groups, 66)
        while small < groups and gpu.time(pair[0], bound, small, 1) * 4 < CAP / 8:
            small = min(groups, small * 4)
        groups = small

    def run(trips: int, longer: bool) -> float:
        kernel, count = (pair[0], 2 * trips) if longer and case.lengthen == "n" else (pair[longer], trips)
        if tallies:
            gpu.clear(out)
        return gpu.time(kernel, bound, groups, count)

    def check(trips: int, longer: bool) -> float:
        took = run(trips, longer)
        told = case.longer() if longer else values
        count = 2 * trips if longer and case.lengthen == "n" else trips
        if not expected.CHECKS[case.check](gpu.read(out, out.size), told, count, threads(groups)):
            raise Wrong(f"{count} trips of the {'longer' if longer else 'shorter'} kernel")
        return took

    # An odd and an even number of steps; the longer of the two only where it stays within the limit.
    if check(1, False) * 6 <= CAP:
        for trips, longer in ((1, True), (3, False), (3, True)):
            check(trips, longer)
    trips, summary = measure(run, wall=gpu.wall, step=step, rounds=size.rounds, want=size.want, stopped=stopped)
    check(trips, False)
    check(trips, True)
    return {**_number(summary, trips * case.work(threads(groups)), case), "trips": trips, "groups": groups}


def _chase(gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool]) -> Result:
    total = case.values["bytes"]
    if total > min(size.bytes, gpu.most_bytes):
        return {"state": "unsupported", "why": "the buffer is larger than this device or run allows"}
    lines = total // 128
    order = expected.order(lines)
    memory = array("I", bytes(total))
    for at, line in enumerate(order):
        memory[line * ORDER_STEP] = order[(at + 1) % lines] * ORDER_STEP
    place = {line: at for at, line in enumerate(order)}[0]
    walked = 0
    data, out = gpu.buffer(total), gpu.buffer(16)
    gpu.write(data, memory)
    bound = gpu.bind(out, data, gpu.buffer(16))
    pair = (gpu.pipeline(case.code(source, longer=False)), gpu.pipeline(case.code(source, longer=True)))

    def run(trips: int, longer: bool) -> float:
        nonlocal walked
        walked += trips * int((case.longer() if longer else case.values)["STEPS"])
        return gpu.time(pair[longer], bound, 1, trips)

    def check() -> None:
        if gpu.read(out, 4)[0] != order[(place + walked) % lines] * ORDER_STEP:
            raise Wrong(f"the walk of {walked} steps ended elsewhere")

    for longer in (False, True):
        run(3, longer)
        check()
    # A whole lap first, so that what fits a cache lies there, in dispatches of a few milliseconds.
    while walked < lines and not stopped():
        run(1024, False)
    trips, summary = measure(run, wall=gpu.wall, step=step, rounds=size.rounds, want=size.want, stopped=stopped)
    check()
    return {**_number(summary, trips * case.work(1), case), "trips": trips, "groups": 1}


def _bandwidth(gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool]) -> Result:
    total = case.values["bytes"]
    if size.bytes < 1 << 24:
        total = min(total, size.bytes)
    if total > gpu.most_bytes:
        return {"state": "unsupported", "why": "the buffer is larger than this device allows"}
    log = (total // 16).bit_length() - 1
    code = case.code(source.replace("${LOG}", str(log)), longer=False)
    copies = case.values["entry"] == "copy_all"
    groups = min(int(case.values["groups"]), size.groups)
    out, spare = gpu.buffer(groups * 256 * 4), gpu.buffer(16)
    data, other = gpu.buffer(total), gpu.buffer(total if copies else 16)
    gpu.set_trips(1)
    gpu.run(gpu.pipeline(code, "prepare"), gpu.bind(out, spare, data), groups)
    kernel, bound = gpu.pipeline(code, case.values["entry"]), gpu.bind(out, data, other)

    def run(trips: int, longer: bool) -> float:
        return gpu.time(kernel, bound, groups, 2 * trips if longer else trips)

    def total_of(what: object, places: object, trips: int) -> tuple[float, int]:
        took = gpu.time(what, places, groups, trips)
        return took, sum(gpu.read(out, out.size)) % expected.WORD

    def check(trips: int) -> float:
        took, found = total_of(kernel, bound, trips)
        if found != expected.piece_sum(trips, total):
            raise Wrong(f"the sum of {trips} passes")
        return took

    if not copies and check(1) * 3 <= CAP:
        check(3)
    most = max(1, (1 << 30) >> log)
    trips, summary = measure(
        run, wall=gpu.wall, step=step, most=most, rounds=size.rounds, want=size.want, stopped=stopped
    )
    if not copies:
        check(trips)
        check(2 * trips)
    weigh = gpu.pipeline(code, "weigh_all")
    if total_of(weigh, gpu.bind(out, other if copies else data, spare), 1)[1] != expected.piece_weight(total):
        raise Wrong("a piece stands in another's place")
    return {**_number(summary, trips * total * (2 if copies else 1), case), "trips": trips, "groups": groups}


def _dispatch(gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool]) -> Result:
    out, spare = gpu.buffer(16), gpu.buffer(16)
    kernel, bound = gpu.pipeline(case.code(source, longer=False)), gpu.bind(out, spare, gpu.buffer(16))
    sent = 0

    def run(trips: int, longer: bool) -> float:
        nonlocal sent
        count = 2 * trips if longer else trips
        sent += count
        if inside:
            return gpu.time(kernel, bound, 1, 1, count)
        return gpu.send(kernel, bound, case.values["mode"], count)

    # One pass is timed on the device where it can tell; everything else costs the host, so its clock counts.
    inside = case.values["mode"] == "pass" and not gpu.wall
    trips, summary = measure(
        run, wall=not inside, step=step, most=4096, rounds=size.rounds, want=size.want, stopped=stopped
    )
    if gpu.read(out, 4)[0] != sent:
        raise Wrong(f"{sent} dispatches were sent")
    return {**_number(summary, trips, case), "trips": trips, "groups": 1}


def _product(gpu: Gpu, case: Case, source: str, size: Size, step: float, stopped: Callable[[], bool]) -> Result:
    most = int(case.values["edge"]) if size.groups >= 64 else 64
    kernel = gpu.pipeline(case.code(source, longer=False), "gemm", PRODUCT)
    tile_x, tile_y = case.values["tile"]
    edge = 32
    took = 0.0
    # Twice the edge is eight times the work: stepped up as long as that stays within the limit.
    while edge < most and took * 8 <= CAP:
        edge *= 2
        a, b, c = (gpu.buffer(edge * edge * 4) for _ in range(3))
        for which, buffer in enumerate((a, b)):
            gpu.write(buffer, expected.matrix(edge, which))
        bound = gpu.bind_product(a, b, c, (edge, edge, edge))
        groups = (-(-edge // tile_x), -(-edge // tile_y))
        gpu.time(kernel, bound, groups, 1)
        took = gpu.time(kernel, bound, groups, 1)
    got = gpu.read(c, edge * edge * 4)
    floats = memoryview(got).cast("B").cast("f")
    for row, column in expected.samples(edge):
        if floats[row * edge + column] != expected.element(row, column, edge):
            raise Wrong(f"element {row}, {column} of {edge} x {edge}")

    def run(trips: int, longer: bool) -> float:
        return gpu.time(kernel, bound, groups, 1, 2 * trips if longer else trips)

    trips, summary = measure(
        run, wall=gpu.wall, step=step, most=4096, rounds=size.rounds, want=size.want, cap=CAP, stopped=stopped
    )
    told = _number(summary, trips * float(edge) ** 3, case)
    return {**told, "trips": trips, "groups": groups[0] * groups[1], "edge": edge}


KINDS = {"gemm": _product, "loop": _loop, "chase": _chase, "bandwidth": _bandwidth, "dispatch": _dispatch}
