/* From a case to a result: build, check, measure. The twin of lab/run.py. */
import { CHECKS, element, matrix, order, pieceSum, pieceWeight, samples } from "./expected.js";
import { PRODUCT } from "./gpu.js";
import { CAP, Lost, measure, Refused, ROUNDS, Stopped, tick, TooSlow } from "./method.js";
import { cases, code, longer, work } from "./probes.js";

const SLOTS = 65536; // words of the result that most probes keep
const LINE = 32; // words in a line of 128 bytes

/** How much to spend: most workgroups, bytes in a buffer, steps in a body, rounds, seconds (null: by the timer). */
export const FULL = { groups: 1 << 16, bytes: 2 ** 40, steps: 1 << 10, rounds: ROUNDS, want: null };
export const SMALL = { groups: 2, bytes: 1 << 20, steps: 3, rounds: 7, want: 0.0005 };

class Wrong extends Error {
  name = "Wrong";
}
const unsupported = (why) => ({ state: "unsupported", why });
const tooLarge = unsupported("the buffer is larger than this device or run allows");

/** The step of the device's timer in seconds, from forty runs of different lengths, and which timer it is. */
export const timer = async (gpu, latency, source) => {
  const out = gpu.buffer(SLOTS * 4);
  const bound = gpu.bind(out, gpu.buffer(16), gpu.buffer(16));
  const pipeline = await gpu.pipeline(code(latency, source, false));
  let trips = 1;
  while (trips < 1 << 18 && (await gpu.time(pipeline, bound, 1, trips)) < 0.0005) trips *= 4;
  const times = [];
  for (let turn = 0; turn < 40; turn += 1) times.push(await gpu.time(pipeline, bound, 1, trips + Math.floor((turn * trips) / 40)));
  gpu.free();
  return { kind: gpu.wall ? "wall" : "timestamp", step: tick(times) };
};

const SCALE = { "G/s": 1e-9, "GB/s": 1e-9, ns: 1e9, us: 1e6 };
const number = (summary, amount, told) => {
  if (summary.state !== "ok") return { state: summary.state, why: summary.why };
  const value = (seconds) => Number(((told.measure === "rate" ? amount / seconds : seconds / amount) * SCALE[told.unit]).toPrecision(5));
  const spread = summary.quartiles.map(value);
  return { state: "ok", value: value(summary.seconds), spread: told.measure === "rate" ? spread.reverse() : spread };
};

const loop = async (gpu, whole, source, size, options) => {
  const told = { ...whole, values: { ...whole.values, STEPS: Math.min(whole.values.STEPS, size.steps) } };
  const { values } = told;
  if (values.GROUP > gpu.mostThreads) return unsupported(`at most ${gpu.mostThreads} threads in a group here`);
  const pair = [await gpu.pipeline(code(told, source, false)), await gpu.pipeline(code(told, source, true))];
  const tallies = told.check === "tally";
  const out = gpu.buffer((tallies ? values.words : SLOTS) * 4 * (source.includes("array<vec2u>") ? 2 : 1));
  const bound = gpu.bind(out, gpu.buffer(16), gpu.buffer(16));
  const byTrips = told.lengthen === "n";
  let groups = told.fixedGrid ? values.groups : Math.min(values.groups, size.groups);
  if (size.groups < 64) groups = Math.min(groups, 2);
  // A grid that a slow device cannot run once within the limit is made smaller, unless the grid is the question.
  if (!told.fixedGrid) {
    let small = Math.min(groups, 66);
    while (small < groups && (await gpu.time(pair[0], bound, small, 1)) * 4 < CAP / 8) small = Math.min(groups, small * 4);
    groups = small;
  }
  const threads = groups * values.GROUP;
  const run = async (trips, long) => {
    if (tallies) gpu.clear(out);
    return long && byTrips ? gpu.time(pair[0], bound, groups, 2 * trips) : gpu.time(pair[long ? 1 : 0], bound, groups, trips);
  };
  const check = async (trips, long) => {
    const took = await run(trips, long);
    const count = long && byTrips ? 2 * trips : trips;
    const got = await gpu.read(out, out.size);
    if (!CHECKS[told.check](got, long ? longer(told) : values, count, threads)) throw new Wrong(`${count} trips of the ${long ? "longer" : "shorter"} kernel`);
    return took;
  };
  // An odd and an even number of steps; the longer of the two only where it stays within the limit.
  if ((await check(1, false)) * 6 <= CAP) for (const [trips, long] of [[1, true], [3, false], [3, true]]) await check(trips, long);
  const { trips, summary } = await measure(run, options);
  for (const long of [false, true]) await check(trips, long);
  return { ...number(summary, trips * work(told, threads), told), trips, groups };
};

const chase = async (gpu, told, source, size, options) => {
  const total = told.values.bytes;
  if (total > Math.min(size.bytes, gpu.mostBytes)) return tooLarge;
  const lines = total / 128;
  const ring = order(lines);
  const memory = new Uint32Array(total / 4);
  for (let at = 0; at < lines; at += 1) memory[ring[at] * LINE] = ring[(at + 1) % lines] * LINE;
  const place = ring.indexOf(0);
  let walked = 0;
  const data = gpu.buffer(total);
  const out = gpu.buffer(16);
  gpu.write(data, memory);
  const bound = gpu.bind(out, data, gpu.buffer(16));
  const pair = [await gpu.pipeline(code(told, source, false)), await gpu.pipeline(code(told, source, true))];
  const run = (trips, long) => {
    walked += trips * (long ? longer(told) : told.values).STEPS;
    return gpu.time(pair[long ? 1 : 0], bound, 1, trips);
  };
  const check = async () => {
    if ((await gpu.read(out, 16))[0] !== ring[(place + walked) % lines] * LINE) throw new Wrong(`the walk of ${walked} steps ended elsewhere`);
  };
  for (const long of [false, true]) {
    await run(3, long);
    await check();
  }
  // A whole lap first, so that what fits a cache lies there, in dispatches of a few milliseconds.
  while (walked < lines && !options.stopped()) await run(1024, false);
  const { trips, summary } = await measure(run, options);
  await check();
  return { ...number(summary, trips * work(told, 1), told), trips, groups: 1 };
};

const bandwidth = async (gpu, told, source, size, options) => {
  const total = size.bytes < 1 << 24 ? Math.min(told.values.bytes, size.bytes) : told.values.bytes;
  if (total > gpu.mostBytes) return tooLarge;
  const log = Math.round(Math.log2(total / 16));
  const text = code({ ...told, values: { ...told.values, LOG: log } }, source, false);
  const copies = told.values.entry === "copy_all";
  const groups = Math.min(told.values.groups, size.groups);
  const out = gpu.buffer(groups * 256 * 4);
  const spare = gpu.buffer(16);
  const data = gpu.buffer(total);
  const other = gpu.buffer(copies ? total : 16);
  gpu.setTrips(1);
  await gpu.run(await gpu.pipeline(text, "prepare"), gpu.bind(out, spare, data), groups);
  const kernel = await gpu.pipeline(text, told.values.entry);
  const bound = gpu.bind(out, data, other);
  const totalOf = async (what, places, trips) => {
    const took = await gpu.time(what, places, groups, trips);
    return [took, (await gpu.read(out, out.size)).reduce((all, one) => (all + one) >>> 0, 0)];
  };
  const check = async (trips) => {
    const [took, sum] = await totalOf(kernel, bound, trips);
    if (sum !== pieceSum(trips, total)) throw new Wrong(`the sum of ${trips} passes`);
    return took;
  };
  if (!copies && (await check(1)) * 3 <= CAP) await check(3);
  const most = Math.max(1, Math.floor(2 ** 30 / 2 ** log));
  const { trips, summary } = await measure((count, long) => gpu.time(kernel, bound, groups, long ? 2 * count : count), { ...options, most });
  if (!copies) for (const count of [trips, 2 * trips]) await check(count);
  const weigh = await gpu.pipeline(text, "weigh_all");
  const [, weight] = await totalOf(weigh, gpu.bind(out, copies ? other : data, spare), 1);
  if (weight !== pieceWeight(total)) throw new Wrong("a piece stands in another's place");
  return { ...number(summary, trips * total * (copies ? 2 : 1), told), trips, groups };
};

const dispatch = async (gpu, told, source, _size, options) => {
  const out = gpu.buffer(16);
  const kernel = await gpu.pipeline(code(told, source, false));
  const bound = gpu.bind(out, gpu.buffer(16), gpu.buffer(16));
  let sent = 0;
  // One pass is timed on the device where it can tell; everything else costs the host, so its clock counts.
  const inside = told.values.mode === "pass" && !gpu.wall;
  const run = (trips, long) => {
    const count = long ? 2 * trips : trips;
    sent += count;
    return inside ? gpu.time(kernel, bound, 1, 1, count) : gpu.send(kernel, bound, told.values.mode, count);
  };
  const { trips, summary } = await measure(run, { ...options, wall: !inside, most: 4096 });
  if ((await gpu.read(out, 16))[0] !== sent) throw new Wrong(`${sent} dispatches were sent`);
  return { ...number(summary, trips, told), trips, groups: 1 };
};

const product = async (gpu, told, source, size, options) => {
  const most = size.groups >= 64 ? told.values.edge : 64;
  const kernel = await gpu.pipeline(code(told, source, false), "gemm", PRODUCT);
  const [tileX, tileY] = told.values.tile;
  let [edge, took] = [32, 0];
  let bound;
  let groups;
  let c;
  // Twice the edge is eight times the work: stepped up as long as that stays within the limit.
  while (edge < most && took * 8 <= CAP) {
    gpu.free();
    edge *= 2;
    const buffers = [0, 1, 2].map(() => gpu.buffer(edge * edge * 4));
    for (const which of [0, 1]) gpu.write(buffers[which], matrix(edge, which));
    c = buffers[2];
    bound = gpu.bindProduct(...buffers, [edge, edge, edge]);
    groups = [Math.ceil(edge / tileX), Math.ceil(edge / tileY)];
    await gpu.time(kernel, bound, groups, 1);
    took = await gpu.time(kernel, bound, groups, 1);
  }
  const got = new Float32Array((await gpu.read(c, edge * edge * 4)).buffer);
  for (const [row, column] of samples(edge)) {
    if (got[row * edge + column] !== element(row, column, edge)) throw new Wrong(`element ${row}, ${column} of ${edge} x ${edge}`);
  }
  const run = (trips, long) => gpu.time(kernel, bound, groups, 1, long ? 2 * trips : trips);
  const { trips, summary } = await measure(run, { ...options, most: 4096, cap: CAP });
  return { ...number(summary, trips * edge ** 3, told), trips, groups: groups[0] * groups[1], edge };
};

const KINDS = { loop, chase, bandwidth, dispatch, gemm: product };

/** Measure one case: its row of the report, whatever became of it. Throws Stopped and Lost. */
export const runCase = async (gpu, told, source, size, step, stopped = () => false) => {
  const row = { probe: told.probe, case: told.name, unit: told.unit };
  const missing = told.features.find((name) => !gpu.features.has(name));
  if (missing) return { ...row, ...unsupported(`this device has no ${missing}`) };
  try {
    const options = { wall: gpu.wall, step, rounds: size.rounds, want: size.want, stopped };
    return { ...row, ...(await KINDS[told.kind](gpu, told, source, size, options)) };
  } catch (error) {
    if (error instanceof Wrong) return { ...row, state: "wrong", why: error.message };
    if (error instanceof Refused) return { ...row, ...unsupported(`the kernel was refused: ${error.message}`) };
    if (error instanceof TooSlow) return { ...row, state: "unstable", why: error.message };
    throw error;
  } finally {
    gpu.free();
  }
};

/** Yield the row of every case. After a device is lost the rest is told as lost; a stop ends it. */
export async function* runAll(gpu, probes, wgsl, size, step, stopped) {
  let gone = "";
  for (const probe of probes) {
    for (const told of cases(probe)) {
      const row = { probe: told.probe, case: told.name, unit: told.unit };
      try {
        yield gone ? { ...row, state: "lost", why: gone } : await runCase(gpu, told, wgsl[told.values.file], size, step, stopped);
      } catch (error) {
        if (error instanceof Stopped) return;
        if (!(error instanceof Lost)) throw error;
        gone = error.message || "the device was lost";
        yield { ...row, state: "lost", why: gone };
      }
    }
  }
}
