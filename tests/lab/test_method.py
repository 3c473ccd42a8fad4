"""The method on made-up timings, in Python and in the browser: the same numbers and the same refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page

from lab import method
from lab.method import Lost, Stopped, TooSlow, measure, quantile, step_up, summarize, target, tick

LAUNCH = 20e-6


@dataclass
class Machine:
    """A made-up GPU: so many seconds for a trip, with a launch, a coarse clock, a drift, single slow runs, an end."""

    trip: float = 1e-6
    step: float = 0.0
    drift: float = 0.0
    slow: tuple[int, ...] = ()
    noise: float = 0.0
    dies: int = 10**9
    calls: list[tuple[int, bool]] = field(default_factory=list)

    def time(self, trips: int, longer: bool) -> float:
        self.calls.append((trips, longer))
        at = len(self.calls)
        if at > self.dies:
            raise Lost("gone")
        took = LAUNCH + trips * self.trip * (2 if longer else 1) * (1 + self.drift * at)
        took *= 10 if at in self.slow else 1
        took *= 1 + self.noise * math.sin(at * 12.9898)
        return math.floor(took / self.step) * self.step if self.step else took


def cost(summary: method.Summary, trips: int) -> float:
    return summary.seconds / trips


def test_launch_and_loop_fall_out() -> None:
    machine = Machine()
    trips, summary = measure(machine.time)
    assert summary.state == "ok"
    assert cost(summary, trips) == pytest.approx(1e-6)
    plain = machine.time(trips, False) / trips
    assert plain > 1.004e-6, "the plain rate would have had the launch in it"


def test_no_run_is_foreseen_above_the_limit_and_trips_grow_by_eight_at_most() -> None:
    for trip in (1e-9, 3e-7, 1e-4, 0.011):
        machine = Machine(trip=trip)
        measure(machine.time)
        longest = max(trips * trip * (2 if longer else 1) for trips, longer in machine.calls)
        assert longest <= method.CAP, trip
        tries = [trips for trips, longer in machine.calls if not longer][:12]
        assert all(b <= 8 * a + 1 for a, b in itertools.pairwise(tries))
        assert tries[0] == 1


def test_a_machine_for_which_one_trip_is_too_much_is_left_alone() -> None:
    machine = Machine(trip=0.2)
    with pytest.raises(TooSlow, match="200 ms"):
        measure(machine.time)
    assert len(machine.calls) == 1


def test_at_least_seven_rounds_after_a_warm_up_in_turn() -> None:
    machine = Machine()
    trips, _ = measure(machine.time)
    runs = [longer for count, longer in machine.calls if count == trips][1:]
    assert runs[:2] == [True, True]
    rounds = runs[2:]
    assert len(rounds) == 2 * method.ROUNDS >= 14
    assert rounds[:4] == [True, False, False, True]


def test_a_coarse_clock_is_seen_and_outrun() -> None:
    machine = Machine(step=65.536e-6)
    step = tick([machine.time(400 + 37 * i, False) for i in range(40)])
    assert step == pytest.approx(65.536e-6)
    assert target(step, False) == pytest.approx(method.COARSE)
    trips, summary = measure(machine.time, step=step)
    assert summary.state == "ok"
    assert cost(summary, trips) == pytest.approx(1e-6, rel=0.01)
    assert target(1e-9, False) == method.FINE


def test_a_clock_too_coarse_for_the_difference_gives_no_number() -> None:
    machine = Machine(step=1e-3)
    _, summary = measure(machine.time, step=1e-3, want=0.002)
    assert summary.state == "unstable"
    assert "coarse" in summary.why


def test_a_drift_on_both_lengths_alike_falls_out_and_a_strong_one_is_told() -> None:
    trips, summary = measure(Machine(drift=1e-4).time)
    assert summary.state == "ok"
    assert cost(summary, trips) == pytest.approx(1e-6, rel=0.01)
    _, summary = measure(Machine(drift=0.03).time)
    assert summary.state == "unstable"
    assert "drift" in summary.why or "quartiles" in summary.why


def test_an_outlier_moves_neither_value_nor_quartiles() -> None:
    trips, summary = measure(Machine(slow=(14, 19)).time)
    assert summary.state == "ok"
    assert cost(summary, trips) == pytest.approx(1e-6)
    assert summary.quartiles == pytest.approx((summary.seconds, summary.seconds))


def test_noise_above_the_limit_is_not_stable_even_the_second_time() -> None:
    machine = Machine(noise=0.2)
    trips, summary = measure(machine.time)
    assert summary.state == "unstable"
    assert len([1 for count, _ in machine.calls if count == trips]) >= 4 * method.ROUNDS


def test_a_longer_run_that_is_not_longer_gives_no_number() -> None:
    assert summarize([1.0] * 9, [1.0] * 9, 0).why == "the longer run was not longer"
    assert summarize([2.0] * 9, [1.0] * 9, 0).state == "unstable"


def test_a_device_lost_in_the_middle_is_told_and_not_asked_again() -> None:
    machine = Machine(dies=15)
    with pytest.raises(Lost, match="gone"):
        measure(machine.time)
    assert len(machine.calls) == 16


@pytest.mark.parametrize("after", [0, 3, 9, 17])
def test_a_stop_or_a_closed_tab_ends_it_before_the_next_run(after: int) -> None:
    machine = Machine()
    with pytest.raises(Stopped):
        measure(machine.time, stopped=lambda: len(machine.calls) >= after)
    assert len(machine.calls) == after


def test_quantiles_lie_between() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([1, 2, 3, 4, 5], 0.25) == 2
    assert tick([0.0, 0.0]) == 0
    assert step_up(lambda trips: trips * 1e-9, 1.0, 1000) == 1000


# The same timings through both languages.
SHORT = [1.0, 1.01, 0.99, 1.02, 1.0, 0.98, 1.0, 1.03, 1.0]
SERIES: dict[str, tuple[list[float], list[float], float]] = {
    "calm": (SHORT, [2 * x for x in SHORT], 0.0),
    "outlier": (SHORT, [*[2.0] * 8, 20.0], 0.0),
    "spread": (SHORT, [2.0, 2.4, 1.7, 2.2, 1.9, 2.5, 1.6, 2.0, 2.3], 0.0),
    "drift": ([1.0] * 9, [2.0 + 0.03 * i for i in range(9)], 0.0),
    "coarse": ([1.0] * 9, [2.0] * 9, 0.1),
    "backwards": ([2.0] * 9, [1.0] * 9, 0.0),
}
PARITY = """async ({docs, series, ticks}) => {
  const m = await import(`${docs}/assets/lab/method.js`);
  const told = {};
  for (const [name, [short, long, step]] of Object.entries(series)) told[name] = m.summarize(short, long, step);
  const limits = [m.ROUNDS, m.CAP, m.FINE, m.COARSE, m.TICKS, m.SPREAD];
  return {told, limits, tick: m.tick(ticks), targets: [m.target(0, false), m.target(1, false), m.target(0, true)]};
}"""


def test_the_browser_says_the_same(modules: Page, docs: str) -> None:
    ticks = [65.536e-6 * n for n in (3, 5, 8, 13)]
    told = modules.evaluate(PARITY, {"docs": docs, "series": SERIES, "ticks": ticks})
    for name, (short, long, step) in SERIES.items():
        mine = summarize(short, long, step)
        theirs = told["told"][name]
        assert (theirs["state"], theirs["seconds"]) == (mine.state, pytest.approx(mine.seconds)), name
        assert theirs["quartiles"] == pytest.approx(list(mine.quartiles)), name
        assert bool(theirs["why"]) == bool(mine.why)
    names = ("ROUNDS", "CAP", "FINE", "COARSE", "TICKS", "SPREAD")
    assert told["limits"] == [getattr(method, name) for name in names]
    assert told["tick"] == pytest.approx(tick(ticks))
    assert told["targets"] == [target(0, False), target(1, False), target(0, True)]


MEASURE = """async ({docs, kind}) => {
  const m = await import(`${docs}/assets/lab/method.js`);
  const calls = [];
  const time = async (trips, longer) => {
    calls.push([trips, longer]);
    if (kind === "lost" && calls.length > 15) throw new m.Lost("gone");
    const took = 20e-6 + trips * (kind === "slow" ? 0.2 : 1e-6) * (longer ? 2 : 1);
    return kind === "outlier" && calls.length === 14 ? took * 10 : took;
  };
  const stopped = () => kind === "stopped" && calls.length >= 9;
  try {
    const {trips, summary} = await m.measure(time, {stopped});
    return {calls, trips, summary};
  } catch (error) {
    return {calls, error: error.name};
  }
}"""
ENDS: dict[str, tuple[type[Exception] | None, Callable[[list[Any]], bool]]] = {
    "calm": (None, lambda calls: len(calls) > 20),
    "outlier": (None, lambda calls: len(calls) > 20),
    "lost": (Lost, lambda calls: len(calls) == 16),
    "stopped": (Stopped, lambda calls: len(calls) == 9),
    "slow": (TooSlow, lambda calls: len(calls) == 1),
}


@pytest.mark.parametrize("kind", list(ENDS))
def test_the_browser_runs_as_often_and_ends_the_same(modules: Page, docs: str, kind: str) -> None:
    told = modules.evaluate(MEASURE, {"docs": docs, "kind": kind})
    machine = Machine(
        trip=0.2 if kind == "slow" else 1e-6, slow=(14,) if kind == "outlier" else (), dies=15 if kind == "lost" else 99
    )
    raised, right = ENDS[kind]
    if raised:
        with pytest.raises(raised):
            measure(machine.time, stopped=lambda: kind == "stopped" and len(machine.calls) >= 9)
        assert told["error"] == raised.__name__
    else:
        trips, summary = measure(machine.time)
        assert (told["trips"], told["summary"]["seconds"]) == (trips, pytest.approx(summary.seconds))
    assert [tuple(call) for call in told["calls"]] == machine.calls
    assert right(told["calls"])
