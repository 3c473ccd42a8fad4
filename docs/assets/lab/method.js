/* How a number comes about, with no GPU in it. The twin of lab/method.py: same names, same limits. */

export const ROUNDS = 9; // pairs of a shorter and a longer run
export const CAP = 0.05; // seconds that no dispatch should exceed
export const FINE = 0.004; // seconds for the shorter run, when the timer is fine
export const COARSE = 0.012; // the most for the shorter run: the longer one takes twice that, and stepping up may overshoot by 2
export const TICKS = 200; // steps of the timer that the shorter run should last
export const SPREAD = 0.1; // the distance of the quartiles, of the median, above which no number is shown

const named = (name) => class extends Error {
  name = name;
};
export const Lost = named("Lost"); // the device is gone
export const Refused = named("Refused"); // the compiler or the device does not take the kernel
export const Stopped = named("Stopped"); // somebody asked to stop
export const TooSlow = named("TooSlow"); // a single trip already takes longer than a dispatch may

/** The value below which a share of the values lies, between two of them by the straight line. */
export const quantile = (values, share) => {
  const ordered = [...values].sort((a, b) => a - b);
  const place = (ordered.length - 1) * share;
  const low = Math.floor(place);
  const high = Math.min(low + 1, ordered.length - 1);
  return ordered[low] + (ordered[high] - ordered[low]) * (place - low);
};

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
/** The step of a timer, in seconds: the greatest common divisor of times in whole nanoseconds; 0 when it shows none. */
export const tick = (times) => times.reduce((step, time) => gcd(step, Math.round(time * 1e9)), 0) / 1e9;

/** How long the shorter run should last, in seconds, for a timer of this step. */
export const target = (step, wall) => (wall ? COARSE : Math.min(COARSE, Math.max(FINE, TICKS * step)));

/**
 * The number of trips after which a run lasts `want` seconds, found from below: each try is at most eight times the one
 * before and never foreseen above `want`, unless it doubles. TooSlow when one trip takes more than `cap`.
 */
export const stepUp = async (time, want, most, cap = CAP / 2) => {
  let trips = 1;
  for (;;) {
    const took = await time(trips);
    if (took > cap && trips === 1) throw new TooSlow(`one trip takes ${(took * 1e3).toFixed(0)} ms`);
    if (took >= want || trips >= most) return trips;
    const grow = took <= want / 8 ? 8 : Math.max(1.1, want / took);
    trips = Math.min(most, Math.ceil(trips * grow));
  }
};

const share = (value) => `${Math.round(value * 100)}%`;
/** The difference of paired runs: its median and quartiles in seconds, and whether it can be shown. */
export const summarize = (short, long, step) => {
  const gaps = short.map((time, at) => long[at] - time);
  const seconds = quantile(gaps, 0.5);
  const low = quantile(gaps, 0.25);
  const high = quantile(gaps, 0.75);
  const half = Math.floor(gaps.length / 2);
  const drift = (quantile(gaps.slice(-half), 0.5) - quantile(gaps.slice(0, half), 0.5)) / seconds;
  const unstable = (why) => ({ state: "unstable", why, seconds, quartiles: [low, high] });
  if (seconds <= 0 || low <= 0) return unstable("the longer run was not longer");
  if (20 * step > seconds) return unstable("the timer is too coarse");
  if ((high - low) / seconds > SPREAD) return unstable(`the quartiles lie ${share((high - low) / seconds)} apart`);
  if (Math.abs(drift) > SPREAD) return unstable(`it drifted by ${drift > 0 ? "+" : ""}${share(drift)}`);
  return { state: "ok", why: "", seconds, quartiles: [low, high] };
};

/**
 * Measure: step up, warm up, run pairs, and once more as many when they disagree. `time(trips, longer)` gives seconds;
 * `stopped` is asked before every run. Gives the trips and the summary; throws Stopped, TooSlow, and what `time` throws.
 */
export const measure = async (time, { wall = false, step = 0, most = 1 << 22, rounds = ROUNDS, want = null, cap = CAP / 2, stopped = () => false } = {}) => {
  const run = (trips, long) => {
    if (stopped()) throw new Stopped("stopped");
    return time(trips, long);
  };
  const trips = await stepUp(async (count) => run(count, false), want ?? target(step, wall), most, cap);
  for (let turn = 0; turn < 2; turn += 1) await run(trips, true);
  let summary;
  for (let again = 0; again < 2; again += 1) {
    const short = [];
    const long = [];
    for (let turn = 0; turn < rounds; turn += 1) {
      // In turn, so that a drift falls on both.
      for (const second of turn % 2 ? [false, true] : [true, false]) (second ? long : short).push(await run(trips, second));
    }
    summary = summarize(short, long, step);
    if (summary.state === "ok") break;
  }
  return { trips, summary };
};
