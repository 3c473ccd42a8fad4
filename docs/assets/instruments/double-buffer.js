/* Double buffering: one core's time, with math that only one threadgroup does at a time and waits that overlap freely.
   The worked numbers (576 cycles of math, 478 of wait) are derived on the page from philipturner/metal-benchmarks
   README.md L590-613 (18 cycles a fragment multiply, M1 and M2), L76 (1.398 GHz) and a pointer chase on an M2 Pro. */
import { chart, count, draw, facts, fixed, label, mount as place, percent, round, some, table } from "./ui.js";
import { CEILING, residency } from "./occupancy.js";

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

const lanes = (width, made, groups) => {
  const shown = Math.min(groups, 4);
  const left = width < 480 ? 20 : 92;
  const scale = (width - left - 12) / made.total;
  const high = 44;
  const parts = [];
  const height = 10 + shown * (high + 8);
  const power = 10 ** Math.floor(Math.log10(made.total));
  const step = power / (made.total / power < 3 ? 2 : 1) * (width < 480 ? 2 : 1);
  for (let tick = 0; tick <= made.total; tick += step) parts.push(draw("path", { class: "d-grid", d: `M${left + tick * scale} 4V${height}` }), label(left + tick * scale, height + 14, count(tick), "d-s d-mid"));
  for (let group = 0; group < shown; group += 1) {
    const top = 10 + group * (high + 8);
    parts.push(label(left - 8, top + 18, width < 480 ? String(group + 1) : `group ${group + 1}`, "d-s d-end"));
    for (const [kind, from, to] of made.lanes[group]) {
      const x = left + from * scale;
      const wide = Math.max(1, (to - from) * scale);
      if (kind === "math") parts.push(draw("rect", { class: "d-a", x, y: top, width: wide, height: 24 }), wide > 40 ? label(x + wide / 2, top + 16, "math", "d-s d-mid d-on") : null);
      else if (kind === "idle") parts.push(draw("path", { class: "d-grid", d: `M${x} ${top + 12}h${wide}` }));
      else parts.push(draw("rect", { class: kind === "load" ? "d-c" : "d-hot", x, y: kind === "load" ? top + 28 : top + 7, width: wide, height: 10 }));
    }
  }
  return chart(
    width, height + 44, "One core over time, in cycles",
    `${some(groups, "threadgroup")}${groups > shown ? `, the first ${shown} drawn` : ""}. Of ${round(made.total)} cycles the core does math in ${percent(made.share)}.`,
    parts,
    draw("rect", { class: "d-a", x: left, y: height + 26, width: 12, height: 12 }), label(left + 16, height + 36, "math"),
    draw("rect", { class: "d-hot", x: left + 54, y: height + 26, width: 12, height: 12 }), label(left + 70, height + 36, "exposed wait"),
    draw("rect", { class: "d-c", x: left + 150, y: height + 26, width: 12, height: 12 }), label(left + 166, height + 36, width < 480 ? "hidden load" : "load under math"),
  );
};

const spec = {
  title: "Double buffering over time",
  presetLabel: "Case",
  presets: [
    ["M2 Pro, 64 × 64 × 16 fp32, one group alone", { way: "one", math: 576, wait: 478, groups: 1, tile: 8192 }],
    ["The same, a second tile", { way: "two", math: 576, wait: 478, groups: 1, tile: 8192 }],
    ["The same, a second threadgroup instead", { way: "one", math: 576, wait: 478, groups: 2, tile: 8192 }],
    ["M5 Max, 64 × 64 × 16, three groups", { way: "one", math: 512, wait: 847, groups: 3, tile: 8192 }],
  ],
  controls: [
    { key: "way", label: "Order of a step", value: "one", wide: true, options: Object.entries(WAYS).map(([key, way]) => [key, way.name]) },
    { key: "math", label: "Math per K step, cycles", value: 576, min: 1, max: 100000, whole: true },
    { key: "wait", label: "Latency of the loads, cycles", value: 478, min: 0, max: 100000, whole: true },
    { key: "groups", label: "Resident threadgroups", value: 1, min: 1, max: 16, whole: true },
    { key: "tile", label: "Bytes of one staged tile pair", value: 8192, min: 16, max: 32768, whole: true },
    { key: "threads", label: "Threads of a threadgroup", value: 128, min: 32, max: 1024, step: 32, whole: true },
    { key: "registers", label: "Registers per thread, one tile", value: 48, min: 1, max: 128, whole: true, help: "accumulators and operands" },
    { key: "steps", label: "K steps drawn", value: 4, min: 1, max: 12, whole: true },
  ],
  render(state, width) {
    const way = WAYS[state.way];
    const made = simulate({ ...state, overlap: way.overlap });
    const share = busy({ ...state, overlap: way.overlap });
    const over = state.tile * way.tiles > 32768;
    const rows = Object.entries(WAYS).map(([key, each]) => {
      const holds = resident(state, each);
      const too = state.tile * each.tiles > 32768;
      const spills = state.registers + (each.overlap ? flying(state.tile, state.threads) : 0) > CEILING;
      return [
        [each.name, percent(busy({ ...state, overlap: each.overlap })), too ? "over 32 KB" : String(holds.byMemory), spills ? "spills" : String(holds.byRegisters), too || spills || !holds.groups ? "none" : percent(busy({ ...state, groups: holds.groups, overlap: each.overlap })), String(each.barriers)],
        key === state.way,
      ];
    });
    return {
      says: over
        ? `${fixed(state.tile * way.tiles, 0)} bytes exceed the 32,768 of a threadgroup.`
        : `With ${some(state.groups, "threadgroup")} the core does math ${percent(share)} of the time.${share < 1 ? ` ${way.overlap ? `The load is longer than the math by ${round(state.wait - state.math)} cycles.` : "What is missing is exposed wait."}` : " Nothing is left to hide."}`,
      shows: [
        over ? null : lanes(width, made, state.groups),
        table("The four orders", ["Order", `Busy with ${some(state.groups, "group")}`, "Groups by memory", "By registers", "Busy with the fewer", "Barriers per step"], rows.map(([row]) => row), { mark: (_, at) => rows[at][1] }),
        facts([["Model", "idealized", "math of one group at a time, waits overlap, no cost for a barrier. 60 KB of memory and 208 KB of registers are inferred for M1 and M2 and unknown from M3 on"],
          ["Next tile in flight", `${flying(state.tile, state.threads)} registers per thread`, "where the load runs during the math"]]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
