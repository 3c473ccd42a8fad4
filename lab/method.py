"""How a number comes about, with no GPU in it. The twin of docs/assets/lab/method.js: same names, same limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

ROUNDS = 9  # pairs of a shorter and a longer run
CAP = 0.05  # seconds that no dispatch should exceed
FINE = 0.004  # seconds for the shorter run, when the timer is fine
COARSE = 0.012  # the most for the shorter run: the longer one takes twice that, and stepping up may overshoot by 2
TICKS = 200  # steps of the timer that the shorter run should last
SPREAD = 0.10  # the distance of the quartiles, of the median, above which no number is shown


class Lost(Exception):
    """The device is gone."""


class Refused(Exception):
    """The compiler or the device does not take the kernel."""


class Stopped(Exception):
    """Somebody asked to stop."""


class TooSlow(Exception):
    """A single trip already takes longer than a dispatch may."""


@dataclass(frozen=True)
class Summary:
    """``value`` is work over seconds (or seconds over work) by the median; ``spread`` the same by the quartiles."""

    state: str  # ok, unstable
    why: str
    seconds: float
    quartiles: tuple[float, float]


def quantile(values: Iterable[float], share: float) -> float:
    """Return the value below which *share* of *values* lies, between two of them by the straight line."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def tick(times: Iterable[float]) -> float:
    """Return the step of a timer, in the unit of *times*: their greatest common divisor; 0 when it shows none.

    Times are taken as whole nanoseconds.
    """
    step = 0
    for time in times:
        step = math.gcd(step, round(time * 1e9))
    return step / 1e9


def target(step: float, wall: bool) -> float:
    """Return how long the shorter run should last, in seconds, for a timer of this *step*."""
    return COARSE if wall else min(COARSE, max(FINE, TICKS * step))


def step_up(time: Callable[[int], float], want: float, most: int, cap: float = CAP / 2) -> int:
    """Return the number of trips after which a run lasts *want* seconds, found from below.

    Each try is at most eight times the one before and never foreseen above *want*, unless it doubles.
    Raises TooSlow when one trip takes more than *cap*: half of CAP where the longer run is one dispatch of twice that.
    """
    trips = 1
    while True:
        took = time(trips)
        if took > cap and trips == 1:
            raise TooSlow(f"one trip takes {took * 1e3:.0f} ms")
        if took >= want or trips >= most:
            return trips
        grow = 8.0 if took <= want / 8 else max(1.1, want / took)
        trips = min(most, math.ceil(trips * grow))


def summarize(short: list[float], long: list[float], step: float) -> Summary:
    """Return the difference of paired runs: its median and quartiles in seconds, and whether it can be shown."""
    gaps = [b - a for a, b in zip(short, long, strict=True)]
    middle = quantile(gaps, 0.5)
    low, high = quantile(gaps, 0.25), quantile(gaps, 0.75)
    half = len(gaps) // 2
    first, last = quantile(gaps[:half], 0.5), quantile(gaps[-half:], 0.5)
    if middle <= 0 or low <= 0:
        return Summary("unstable", "the longer run was not longer", middle, (low, high))
    if 20 * step > middle:
        return Summary("unstable", "the timer is too coarse", middle, (low, high))
    if (high - low) / middle > SPREAD:
        return Summary("unstable", f"the quartiles lie {(high - low) / middle:.0%} apart", middle, (low, high))
    if abs(last - first) / middle > SPREAD:
        return Summary("unstable", f"it drifted by {(last - first) / middle:+.0%}", middle, (low, high))
    return Summary("ok", "", middle, (low, high))


def measure(
    time: Callable[[int, bool], float],
    *,
    wall: bool = False,
    step: float = 0.0,
    most: int = 1 << 22,
    rounds: int = ROUNDS,
    want: float | None = None,
    cap: float = CAP / 2,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, Summary]:
    """Measure: step up, warm up, run pairs, and once more with as many again when they disagree.

    *time* takes the trips and whether the longer kernel runs, and returns seconds. *stopped* is asked before every run.
    Returns the trips and the summary. Raises Stopped, TooSlow, and whatever *time* raises (Lost).
    """

    def run(trips: int, longer: bool) -> float:
        if stopped():
            raise Stopped
        return time(trips, longer)

    trips = step_up(lambda trips: run(trips, False), want or target(step, wall), most, cap)
    for _ in range(2):
        run(trips, True)
    short: list[float] = []
    long: list[float] = []
    summary = Summary("unstable", "not measured", 0.0, (0.0, 0.0))
    for _ in range(2):
        for turn in range(rounds):
            # In turn, so that a drift falls on both.
            order = (False, True) if turn % 2 else (True, False)
            for longer in order:
                (long if longer else short).append(run(trips, longer))
        summary = summarize(short[-rounds:], long[-rounds:], step)
        if summary.state == "ok":
            break
    return trips, summary
