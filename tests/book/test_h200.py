"""The H200's numbers: every one is a row of the results file, its range covers the rounds and the machines of the row,
and where conditions name a number of hosts it is the number of machines that ran the row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cuda.results import read
from mkdocs_metalworking.quote.amounts import agree
from mkdocs_metalworking.quote.quantities import Quantities, Quantity
from mkdocs_metalworking.quote.quantity_file import load_quantities

ROOT = Path(__file__).parents[2]
RESULTS = read()
BOOK: Quantities = load_quantities((ROOT / "quantities.yml").read_text(encoding="utf-8"))[0]

ROWS = {
    "h200.sms": "device.sms",
    "h200.clock": "device.clock_fma",
    "h200.warps": "device.warps_per_sm",
    "h200.shared": "device.shared_per_block_optin",
    "h200.shared.sm": "device.shared_per_sm",
    "h200.fma": "fma.fp32_8chains_per_cycle",
    "h200.fma.f16": "fma.fp16_8chains_per_cycle",
    "h200.fma.half2": "fma.fp16x2_8chains_per_cycle",
    "h200.fp32": "fma.fp32_8chains_tflops",
    "h200.half2": "fma.fp16x2_8chains_tflops",
    "h200.fma.latency": "fma.latency_fp32",
    "h200.fma.latency.f16": "fma.latency_fp16",
    "h200.fma.latency.half2": "fma.latency_fp16x2",
    "h200.exp2-pairs": "special.fma_and_ex2",
    "h200.imul": "special.integer_multiply_add",
    "h200.matrix": "matrix.cublas_bf16",
    "h200.matrix.burst": "matrix.cublas_bf16_burst",
    "h200.gemm.fp32": "matrix.cublas_fp32",
    "h200.read": "bandwidth.read_4096MiB",
    "h200.saturation": "occupancy.one_1chains_enough",
    "h200.saturation.two": "occupancy.one_2chains_enough",
    "h200.shared.bytes": "banks.bytes_16",
    "h200.cache.latency": "chase.chase_192KiB_ns",
    "h200.l2.latency": "chase.chase_24576KiB_ns",
    "h200.dram.latency": "chase.chase_1048576KiB_ns",
    "h200.random": "coalescing.gather_4GiB",
    "h200.gemm.one": "double_buffering.tile64_full_single",
    "h200.gemm.two": "double_buffering.tile64_full_two_tiles",
    "h200.gemm.alone.one": "double_buffering.tile64_1_single",
    "h200.gemm.alone.registers": "double_buffering.tile64_1_registers",
    "h200.gemm.alone.two": "double_buffering.tile64_1_two_tiles",
    "h200.shuffle": "shuffle.shuffle_rotate_throughput",
    "h200.sum.f32": "shuffle.warp_sum_throughput",
    "h200.sum.f32.latency": "shuffle.warp_sum_latency",
    "h200.sum.i32": "shuffle.reduce_add_throughput",
    "h200.sum.i32.latency": "shuffle.reduce_add_latency",
    "h200.barrier.4": "barrier.syncthreads_04_warps",
    "h200.barrier.32": "barrier.syncthreads_32_warps",
    "h200.atomic.own": "atomics.global_int_own",
    "h200.atomic.one": "atomics.global_int_one",
    "h200.blocking.1": "blocking.grid_01x01",
    "h200.blocking.4": "blocking.grid_04x04",
    "h200.blocking.8": "blocking.grid_08x08",
    "h200.blocking.16": "blocking.grid_16x16",
    "h200.launch": "launch.call",
    "h200.wait.spin": "launch.round_trip",
    "h200.wait": "launch.round_trip_blocking",
    "h200.kernel": "launch.stream_device",
    "h200.kernel.graph": "launch.graph",
}


def row(name: str) -> dict[str, Any]:
    probe, _, key = name.partition(".")
    found: dict[str, Any] = RESULTS["probes"][probe]["rows"][key]
    return found


def section(name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a section of the page of results by name; the twins' are told apart by their programs."""
    if name == "twins":
        return {f"{twin}: {key}": one for twin, rows in RESULTS["twins"].items() for key, one in rows["rows"].items()}
    found: dict[str, dict[str, Any]] = RESULTS["probes"][name.replace("-", "_")]["rows"]
    return found


def value(name: str) -> float:
    return float(row(name)["value"])


def warps_for_reading(loads: int) -> int:
    """Return the fewest warps tried that come within 5% of the best read with so many loads in flight."""
    start = f"inflight_{loads}loads_"
    rows = {int(name[-7:-5]): value(f"bandwidth.{name}") for name in section("bandwidth") if name.startswith(start)}
    return min(warps for warps, rate in rows.items() if rate >= 0.95 * max(rows.values()))


COMPUTED = {
    "h200.read.warps.one": warps_for_reading(1),
    "h200.read.warps.four": warps_for_reading(4),
    "h200.registers": row("registers.cap255_256")["registers"],
    "h200.registers.live": max(
        int(name[-3:])
        for name, one in section("registers").items()
        if name.startswith("cap255_") and not one["spill_stores"]
    ),
    "h200.pool.registers": value("device.registers_per_sm") * 4 / 1024,
    "h200.one-chain": 100 * value("occupancy.three_1chains_64warps") / 128,
    "h200.cache.bytes": value("bandwidth.read_l1_128KiB_an_SM") * 1000 / 132 / value("device.clock_fma"),
    "h200.atomic.shared.one": 1 / value("atomics.shared_float_one"),
    "h200.stride-32": value("banks.stride_32") / value("banks.stride_01"),
    "h200.stride-33": value("banks.stride_33") / value("banks.stride_01"),
}


def of_the_results() -> list[str]:
    """Keys of the quantities whose first source is a section of the results."""
    return [
        key
        for key, one in BOOK.by_key.items()
        if one.sources and one.sources[0].cite.split(",")[0].split(":")[0] == "h200"
    ]


def covered(name: str) -> tuple[float, float]:
    """Return the lowest and the highest of a row: rounds of its first machine, and medians of all."""
    ends = [*row(name)["spread"], *row(name).get("across", ())]
    return min(ends), max(ends)


def test_every_number_of_the_h200_is_a_row() -> None:
    assert set(of_the_results()) == set(ROWS) | set(COMPUTED)
    for key, name in ROWS.items():
        section = f"h200:{name.split('.')[0].replace('_', '-')}"
        assert BOOK.get(key).sources[0].cite.split(",")[0] == section, key


@pytest.mark.parametrize("key", [*ROWS, *COMPUTED])
def test_it_has_the_number_that_was_measured(key: str) -> None:
    one = BOOK.get(key)
    measured = COMPUTED[key] if key in COMPUTED else value(ROWS[key])
    if one.low != one.high:
        assert one.low <= measured <= one.high
    else:
        # A page rounds.
        assert agree(one.low, measured, 0.005), measured


def close(said: float, measured: float) -> bool:
    """Whether *said* is *measured* to the last digit of *said*, up or down: a range may be rounded outward."""
    exponent = Decimal(repr(said)).as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(said - measured) < 10.0**exponent


def ranged() -> Iterable[tuple[str, tuple[float, float]]]:
    for key in ROWS:
        one = BOOK.get(key)
        if one.spread or one.low != one.high:
            yield key, one.spread or (one.low, one.high)


def test_a_range_covers_the_rounds_and_the_machines() -> None:
    found = dict(ranged())
    assert len(found) == 7
    for key, ends in found.items():
        assert all(map(close, ends, covered(ROWS[key]))), (key, ends, covered(ROWS[key]))


COUNTS = {word: n for n, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)}
HOSTS = re.compile(rf"\b({'|'.join(COUNTS)}|\d+) (?:rented )?(?:hosts?|machines?)\b(?:.*? (\w+) more\b)?")


def hosts(text: str) -> list[int]:
    """Return the numbers of hosts that *text* names; ``one host and ... two more`` are three."""
    return [sum(COUNTS.get(part, 0) or int(part) for part in found if part) for found in HOSTS.findall(text)]


def disagreeing(one: Quantity, machines: int) -> list[int]:
    return [n for n in hosts(one.conditions) if n != machines]


def test_conditions_name_the_machines_that_ran_the_row() -> None:
    named = 0
    for key, name in ROWS.items():
        one = BOOK.get(key)
        machines = len(row(name)["machines"])
        assert disagreeing(one, machines) == [], key
        named += bool(hosts(one.conditions))
        low, high = row(name).get("across", (1, 1))
        if high > 1.05 * low:
            assert one.low != one.high, f"{key}: the machines differ, so it is a range"
            assert hosts(one.conditions) == [machines], key
    assert named == 5


def test_two_hosts_would_be_told() -> None:
    assert hosts("rounds of one host and medians of two more") == [3]
    wrong = Quantity("h200.launch", 3.7, 5.2, method="over two hosts")
    assert disagreeing(wrong, len(row(ROWS["h200.launch"])["machines"])) == [2]


CITED = re.compile(r"\[@h200:(?P<probe>[a-z-]+),(?P<note>[^\]]*)\]")


def test_citations_name_the_machines_that_ran_the_probe() -> None:
    named = 0
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for found in CITED.finditer(page.read_text(encoding="utf-8")):
            may = {len(one["machines"]) for one in section(found["probe"]).values()}
            assert set(hosts(found["note"])) <= may, (page.name, found[0])
            named += bool(hosts(found["note"]))
    assert named >= 5


def test_the_page_tells_what_the_results_hold() -> None:
    """Two Machines shows rows of the first three; the fourth ran other programs."""
    machines = RESULTS["machines"]
    shared = [
        one["across"] for probe in RESULTS["probes"].values() for one in probe["rows"].values() if "across" in one
    ]
    moved = [ends for ends in shared if ends[1] > 1.05 * ends[0]]
    word = {n: text for text, n in COUNTS.items()} | {10: "ten"}
    text = (ROOT / "docs/two-machines.md").read_text(encoding="utf-8")
    for told in (
        f"the median over {word[machines[1]['rounds']]} rounds through all programs",
        f"{word[machines[2]['rounds']].capitalize()} rounds on a second such machine and "
        f"{word[machines[3]['rounds']]} on a third agreed with it within 5% in "
        f"{len(shared) - len(moved)} of {len(shared)} rows",
        f"on {word[3]} rented machines: all but {word[len(moved)]} of {len(shared)} rows repeated within 5%",
        f"the medians of {word[len(row('launch.call')['machines']) - 1]} more",
    ):
        assert told in text, told
