/* Double buffering: one core's time, with math that only one threadgroup does at a time and waits that overlap freely.
   The worked numbers (576 cycles of math, 478 of wait) are derived on the page from philipturner/metal-benchmarks
   README.md L590-613 (18 cycles a fragment multiply, M1 Max), L76 (1.398 GHz) and a pointer chase on an M2 Pro. */
import { mount as place } from "./instrument.js";
import { CEILING, GROUP_MEMORY, residency } from "./residency.js";
import { short, ticks } from "./plot.js";
import { quantity } from "./quantities.js";
import { doublings, even, next } from "./slider.js";
import { count, draw, facts, label, percent, round, sheet, some, table } from "./ui.js";

/** Ways to order a step. overlap: the next load runs during the math, so its values are alive beside the operands.
    tiles: staging buffers. barriers: per step. */
export const WAYS = {
  one: { name: "one tile", overlap: false, tiles: 1, barriers: 2 },
  two: { name: "two tiles, the load runs during the math", overlap: true, tiles: 2, barriers: 1 },
  ahead: { name: "two tiles, stored before the math (m5-gemm as written)", overlap: false, tiles: 2, barriers: 1 },
  registers: { name: "one tile, the next one held in registers", overlap: true, tiles: 1, barriers: 2 },
};
/** Share of time that the core does math in the long run. */
export const busy = ({ math, wait, groups, overlap }) => Math.min(1, (groups * math) / (overlap ? Math.max(math, wait) : math + wait));
/** Registers per thread that hold the next tile's values while they are on their way. */
export const flying = (tileBytes, threads) => Math.ceil(tileBytes / 4 / threads);
/** Threadgroups that an M1 or M2 core holds: by memory, by registers, and the fewest of all pools. */
export const resident = ({ tile, registers, threads }, { tiles, overlap }) =>
  residency({ registers: registers + (overlap ? flying(tile, threads) : 0), memory: tile * tiles, threads });

/** What happens when: for each group its spans [kind, from, to], in cycles. Groups take the core in order of readiness. */
export const simulate = ({ math, wait, groups, overlap, steps }) => {
  const lanes = Array.from({ length: groups }, () => []);
  // The tile a group waits for, when it is there, and how many steps it has done.
  const ready = lanes.map(() => wait);
  const done = lanes.map(() => 0);
  lanes.forEach((lane) => lane.push(["wait", 0, wait]));
  let free = 0;
  while (done.some((count) => count < steps)) {
    let next = -1;
    for (let group = 0; group < groups; group += 1) if (done[group] < steps && (next < 0 || Math.max(ready[group], free) < Math.max(ready[next], free) || (Math.max(ready[group], free) === Math.max(ready[next], free) && done[group] < done[next]))) next = group;
    const start = Math.max(ready[next], free);
    const end = start + math;
    if (start > ready[next]) lanes[next].push(["idle", ready[next], start]);
    lanes[next].push(["math", start, end]);
    done[next] += 1;
    free = end;
    if (done[next] < steps) {
      const from = overlap ? start : end;
      // A load that runs under the math is drawn under it; the group waits only for what is left of it.
      lanes[next].push([overlap ? "load" : "wait", from, from + wait]);
      ready[next] = Math.max(end, from + wait);
    }
  }
  return { lanes, total: free, share: (groups * steps * math) / free };
};

const ORDERS = Object.keys(WAYS);
const SHORT = { one: "one tile", two: "two tiles", ahead: "two tiles, stored first", registers: "one tile, next in registers" };
const read = (state) => {
  const orders = ORDERS.map((key) => {
    const way = WAYS[key];
    const holds = resident(state, way);
    return {
      key, way, holds,
      share: busy({ ...state, overlap: way.overlap }),
      made: simulate({ ...state, overlap: way.overlap }),
      tooLarge: state.tile * way.tiles > GROUP_MEMORY,
      spills: state.registers + (way.overlap ? flying(state.tile, state.threads) : 0) > CEILING,
    };
  });
  return { state, orders, chosen: orders.find(({ key }) => key === state.way) };
};
const says = ({ state, chosen: { way, share, tooLarge } }) =>
  tooLarge
    ? `${count(state.tile * way.tiles)} bytes exceed the ${count(GROUP_MEMORY)} of a threadgroup.`
    : `With ${some(state.groups, "threadgroup")} the core does math ${percent(share)} of the time.${share < 1 ? ` ${way.overlap ? `The load is longer than the math by ${round(state.wait - state.math)} cycles.` : "What is missing is exposed wait."}` : " Nothing is left to hide."}`;

/** The four orders on one scale of cycles: the core's math above, the loads and waits of its groups below. */
const picture = ({ state, orders }, width, ghost) => {
  const left = 4;
  const total = Math.max(...orders.map(({ made }) => made.total), ...(ghost?.orders ?? []).map(({ made }) => made.total));
  const scale = (width - left - 6) / total;
  const shown = Math.min(state.groups, 4);
  const step = 38 + shown * 7;
  const top = 6;
  const bottom = top + ORDERS.length * step;
  const x = (cycles) => left + cycles * scale;
  const bar = (cls, from, to, y, height) => draw("rect", { class: cls, x: x(from), y, width: Math.max(1, (to - from) * scale), height });
  const scaleTicks = ticks(0, total, "linear", width < 400 ? 4 : 7);
  return {
    scale, top, step,
    svg: sheet(
      width, bottom + 42,
      scaleTicks.map((tick) => [draw("path", { class: "d-grid", d: `M${x(tick)} ${top}V${bottom}` }), label(Math.min(x(tick), width - 12), bottom + 14, short(tick), "d-s d-mid")]),
      orders.map(({ key, made, share, tooLarge }, at) => {
        const y = top + at * step;
        const old = ghost?.orders[at].made;
        return [
          key === state.way && draw("rect", { class: "i-chosen", x: 0.5, y: y + 0.5, width: width - 1, height: step - 3 }),
          label(left + 4, y + 12, `${SHORT[key]}: ${tooLarge ? "too large" : percent(share)}`, key === state.way ? "i-ink" : "d-s"),
          tooLarge ? null : made.lanes.map((spans) => spans.filter(([kind]) => kind === "math").map(([, from, to], turn) => bar(turn % 2 ? "mw-compute mw-part" : "mw-compute", from, to, y + 16, 14))),
          old && draw("path", { class: "i-ghost", d: `M${x(old.total)} ${y + 13}v18` }),
          tooLarge ? null : made.lanes.slice(0, shown).map((spans, group) => spans.filter(([kind]) => kind === "wait" || kind === "load").map(([kind, from, to]) => bar(kind === "load" ? "mw-load" : "mw-wait", from, to, y + 32 + group * 7, 6))),
        ];
      }),
      [["mw-compute", "math", 0], ["mw-wait", "wait", 62], ["mw-load", "load under math", 122]].map(([cls, name, at]) => [draw("rect", { class: cls, x: left + at, y: bottom + 26, width: 12, height: 12 }), label(left + at + 17, bottom + 36, name)]),
      label(width - 2, bottom + 36, "cycles", "d-s d-end"),
    ),
  };
};
const WAITS = [0, ...doublings(16, 8192, 4)];
const hand = {
  name: "Four orders of a step over time",
  hint: "touch an order, drag its latency",
  at: ({ state, chosen }) => ({ now: state.wait, min: 0, max: 8192, text: `${chosen.way.name}, ${count(state.wait)} cycles of latency, busy ${percent(chosen.share)}` }),
  move(point, { from, state, moved, scale: { scale, top, step } }) {
    const way = ORDERS[Math.min(ORDERS.length - 1, Math.max(0, Math.floor((from.y - top) / step)))];
    // A tap picks the order; sideways the latency of the loads follows.
    return moved && Math.abs(point.x - from.x) > 4 ? { way, wait: Math.max(0, Math.round(state.wait + (point.x - from.x) / scale)) } : { way };
  },
  key(name, { state }) {
    const at = ORDERS.indexOf(state.way);
    return {
      ArrowUp: { way: ORDERS[Math.max(0, at - 1)] }, ArrowDown: { way: ORDERS[Math.min(ORDERS.length - 1, at + 1)] },
      ArrowLeft: { wait: next(WAITS, state.wait, -1) }, ArrowRight: { wait: next(WAITS, state.wait, 1) },
      PageDown: { wait: next(WAITS, state.wait, -8) }, PageUp: { wait: next(WAITS, state.wait, 8) }, Home: { wait: 0 }, End: { wait: 8192 },
    }[name];
  },
};

const M2 = { math: Math.round(quantity("m2-pro.step.math")), wait: Math.round(quantity("m2-pro.dram.cycles")), tile: 8192 };
const M5 = { math: Math.round(quantity("m5-max.step.math")), wait: Math.round(quantity("m5-max.dram.cycles")), tile: 8192 };
const spec = {
  title: "Double buffering over time",
  presetLabel: "Case",
  presets: [
    ["M2 Pro, 64 × 64 × 16 fp32, one group alone", { way: "one", groups: 1, ...M2 }],
    ["The same, a second tile", { way: "two", groups: 1, ...M2 }],
    ["The same, a second threadgroup instead", { way: "one", groups: 2, ...M2 }],
    ["M5 Max, 64 × 64 × 16, three groups", { way: "one", groups: 3, ...M5 }],
  ],
  controls: [
    { key: "groups", label: "Resident threadgroups", value: 1, min: 1, max: 16, whole: true, stops: even(1, 16) },
    { key: "wait", label: "Latency of the loads, cycles", value: M2.wait, min: 0, max: 100000, whole: true, stops: WAITS },
    { key: "math", label: "Math per K step, cycles", value: M2.math, min: 1, max: 100000, whole: true, stops: doublings(16, 8192, 4) },
    { key: "way", label: "Order of a step", value: "one", wide: true, options: Object.entries(WAYS).map(([key, way]) => [key, way.name]) },
    { key: "tile", label: "Bytes of one staged tile pair", value: M2.tile, min: 16, max: GROUP_MEMORY, whole: true },
    { key: "threads", label: "Threads of a threadgroup", value: 128, min: 32, max: quantity("threadgroup.threads"), step: 32, whole: true },
    { key: "registers", label: "Registers per thread, one tile", value: 48, min: 1, max: CEILING, whole: true, help: "accumulators and operands" },
    { key: "steps", label: "K steps drawn", value: 4, min: 1, max: 12, whole: true },
  ],
  read, says, picture, hand,
  figures: ({ state, chosen }) => [
    ["busy", chosen.share, percent(chosen.share)],
    ["order", null, SHORT[state.way]],
    ["groups", null, String(state.groups)],
    ["latency", state.wait, count(state.wait)],
  ],
  details: ({ state, orders }) => [
    table(
      "The four orders", ["Order", `Busy with ${some(state.groups, "group")}`, "Groups by memory", "By registers", "Busy with the fewer", "Barriers per step"],
      orders.map(({ way, holds, share, tooLarge, spills }) => [way.name, percent(share), tooLarge ? `over ${GROUP_MEMORY / 1024} KB` : String(holds.byMemory), spills ? "spills" : String(holds.byRegisters), tooLarge || spills || !holds.groups ? "none" : percent(busy({ ...state, groups: holds.groups, overlap: way.overlap })), String(way.barriers)]),
      { mark: (_, at) => ORDERS[at] === state.way },
    ),
    facts([
      ["Model", "idealized", `math of one group at a time, waits overlap, no cost for a barrier. ${quantity("m1.pool.memory")} KB of memory and ${quantity("m1.pool.registers")} KB of registers are inferred for M1 and M2 and unknown from M3 on`],
      ["Next tile in flight", `${flying(state.tile, state.threads)} registers per thread`, "where the load runs during the math"],
    ]),
  ],
};
export const mount = (element) => place(element, spec);
