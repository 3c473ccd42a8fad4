/* Dispatch geometry: how a launch is cut, by dispatchThreads and by dispatchThreadgroups.
   Rules: Metal Shading Language 4, sections 4.4.1 and 5.2.3.6; Apple, Calculating threadgroup and grid sizes. */
import { chart, count, draw, facts, label, make, mount as place, round, some, table, wrong } from "./ui.js";

const AXES = ["x", "y", "z"];
/** Groups along each axis, the size of the last one, and totals. `threads`: dispatchThreads; otherwise whole groups. */
export const cut = ({ size, group, threads }) => {
  const groups = size.map((value, at) => Math.ceil(value / group[at]));
  const last = size.map((value, at) => (threads ? value - (groups[at] - 1) * group[at] : group[at]));
  const product = (list) => list.reduce((a, b) => a * b, 1);
  const total = product(groups);
  const launched = threads ? product(size) : total * product(group);
  // Lanes without a thread: the last simdgroup of every kind of group (inner or edge along each axis).
  let simdgroups = 0;
  let lanes = 0;
  for (const kind of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const edge = AXES.map((_, at) => (kind >> at) & 1);
    const number = product(groups.map((value, at) => (edge[at] ? 1 : value - 1)));
    const inside = product(group.map((value, at) => (edge[at] ? last[at] : value)));
    simdgroups += number * Math.ceil(inside / 32);
    lanes += number * Math.ceil(inside / 32) * 32;
  }
  return { groups, last, total, launched, guarded: launched - product(size), simdgroups, idle: lanes - launched, full: product(group) };
};
/** Where lane i of a simdgroup is, in a group of this shape: linear, x first. */
export const positionOf = (index, [x, y]) => [index % x, Math.floor(index / x) % y, Math.floor(index / x / y)];

const triple = (list) => `(${list.map(count).join(", ")})`;
const grid = (width, state, made) => {
  const [gx, gy] = made.groups;
  const columns = Math.min(gx, width < 480 ? 6 : 12);
  const lines = Math.min(gy, 6);
  const cell = Math.min(64, (width - 60) / columns - 4);
  const deep = Math.max(14, Math.min(cell, 44));
  const partX = state.threads ? made.last[0] / state.group[0] : 1;
  const partY = state.threads ? made.last[1] / state.group[1] : 1;
  const usedX = (state.size[0] - (gx - 1) * state.group[0]) / state.group[0];
  const usedY = (state.size[1] - (gy - 1) * state.group[1]) / state.group[1];
  const parts = [];
  for (let line = 0; line < lines; line += 1) {
    for (let column = 0; column < columns; column += 1) {
      const gapX = columns < gx && column === columns - 2;
      const gapY = lines < gy && line === lines - 2;
      const left = 8 + column * (cell + 4);
      const top = 8 + line * (deep + 4);
      if (gapX || gapY) {
        parts.push(label(left + cell / 2, top + deep / 2 + 4, "…", "d-s d-mid"));
        continue;
      }
      const edgeX = column === columns - 1;
      const edgeY = line === lines - 1;
      const wide = cell * (edgeX ? partX : 1);
      const high = deep * (edgeY ? partY : 1);
      parts.push(draw("rect", { class: "d-box", x: left, y: top, width: cell, height: deep }));
      parts.push(draw("rect", { class: (edgeX && usedX < 1) || (edgeY && usedY < 1) ? "d-hot" : "d-a", x: left, y: top, width: Math.max(2, cell * (edgeX ? usedX : 1)), height: Math.max(2, deep * (edgeY ? usedY : 1)) }));
      if (!state.threads && (usedX < 1 || usedY < 1)) parts.push(draw("rect", { class: "d-line", x: left, y: top, width: wide, height: high }));
    }
  }
  const height = 16 + lines * (deep + 4);
  return chart(width, height + 20, "The grid, cut into threadgroups", `${count(gx)} by ${count(gy)} threadgroups in x and y. The last column is ${Math.round(usedX * 100)}% in use, the last row ${Math.round(usedY * 100)}%.`, parts, label(8, height + 12, made.groups[2] > 1 ? `one of ${count(made.groups[2])} layers in z` : state.threads ? "filled: threads; the rest of a box is not launched" : "filled: threads with an element; the rest of a box has none"));
};

const inside = ["x", "y", "z"].map((axis, at) => ({ key: `n${axis}`, label: `Grid ${axis}, threads`, value: [1000000, 1, 1][at], min: 1, max: 4294967295, whole: true, group: "Problem" }));
const outside = ["x", "y", "z"].map((axis, at) => ({ key: `g${axis}`, label: `Group ${axis}`, value: [256, 1, 1][at], min: 1, max: 1024, whole: true, group: "Threadgroup" }));
const sizes = (nx, ny, nz, gx, gy, gz, call) => ({ nx, ny, nz, gx, gy, gz, call });
const spec = {
  title: "What a launch becomes",
  presetLabel: "Launch",
  presets: [
    ["One million elements, groups of 256, counted in threads", sizes(1000000, 1, 1, 256, 1, 1, "threads")],
    ["The same, counted in threadgroups", sizes(1000000, 1, 1, 256, 1, 1, "groups")],
    ["m5-gemm at 4096", sizes(32, 128, 128, 32, 2, 2, "threads")],
    ["MLX NAX at 4096 on class s, swizzled", sizes(128 * 32, 16 * 4, 2, 32, 4, 2, "groups")],
    ["Groups 24 wide: rows meet in a simdgroup", sizes(1200, 64, 1, 24, 8, 1, "threads")],
  ],
  controls: [
    { key: "call", label: "Call", value: "threads", options: [["threads", "dispatchThreads"], ["groups", "dispatchThreadgroups"]] },
    ...inside,
    ...outside,
    { key: "most", label: "Thread limit of the pipeline", value: 1024, min: 32, max: 1024, whole: true, group: "Threadgroup", help: "maxTotalThreads­PerThreadgroup" },
    { key: "cores", label: "GPU cores", value: 10, min: 1, max: 160, whole: true, group: "Threadgroup" },
  ],
  render(state, width) {
    const size = [state.nx, state.ny, state.nz];
    const group = [state.gx, state.gy, state.gz];
    const threads = state.call === "threads";
    const full = group[0] * group[1] * group[2];
    if (full > state.most) throw wrong(`${count(full)} threads a group exceed the pipeline's ${count(state.most)}. Metal rejects the launch; MLX raises an error before it comes to that.`);
    const made = cut({ size, group, threads });
    const straddles = group[0] % 32 !== 0 && group[1] * group[2] > 1 && full > group[0];
    const ragged = threads && made.last.some((value, at) => value !== group[at]);
    const warnings = [];
    if (straddles) warnings.push(`x is not a multiple of 32, so lane ${group[0] % 32 === 0 ? 0 : Math.min(31, group[0] < 32 ? group[0] : group[0] % 32)} of a simdgroup is in another row than lane 0.`);
    if (ragged) warnings.push("The edge groups shrink: code that expects full groups breaks there.");
    if (made.guarded) warnings.push(`${count(made.guarded)} threads have no element and must leave.`);
    const says = `${some(made.total, "threadgroup")} of ${count(made.full)} threads, ${some(made.simdgroups, "simdgroup")}, ${count(made.launched)} threads. ${warnings.join(" ")}`.trim();
    const lastGroup = made.groups.map((value) => value - 1);
    const lastThread = made.last.map((value) => value - 1);
    const where = lastGroup.map((value, at) => value * group[at] + lastThread[at]);
    const blocks = made.groups.join(", ");
    const guard = size.map((value, at) => (made.groups[at] * group[at] > value ? `${AXES[at]} < ${value}` : null)).filter(Boolean);
    const call = threads
      ? `enc.dispatchThreads(MTLSize(width: ${size[0]}, height: ${size[1]}, depth: ${size[2]}), threadsPerThreadgroup: group)`
      : `enc.dispatchThreadgroups(MTLSize(width: ${made.groups[0]}, height: ${made.groups[1]}, depth: ${made.groups[2]}), threadsPerThreadgroup: group)`;
    const code = (name, ...lines) => make("div", {}, make("p", { class: "mw-i-name" }, make("strong", {}, name)), lines.map((line) => make("p", { class: "mw-i-name" }, line)));
    return {
      says,
      shows: [
        grid(width, { size, group, threads }, made),
        table("The last thread of the last threadgroup", ["Parameter", "Value"], [
          ["threadgroup_position_in_grid", triple(lastGroup)],
          ["thread_position_in_threadgroup", triple(lastThread)],
          ["thread_position_in_grid", triple(where)],
          ["threads_per_threadgroup", triple(made.last)],
          ["dispatch_threads_per_threadgroup", triple(group)],
          ["threadgroups_per_grid", triple(made.groups)],
          ["thread 33 of a full group stands at", full > 32 ? triple(positionOf(32, group)) : "there is none"],
        ], { numbers: false }),
        code("Metal", `let group = MTLSize(width: ${group[0]}, height: ${group[1]}, depth: ${group[2]})`, call),
        code("CUDA", `kernel<<<dim3(${blocks}), dim3(${group.join(", ")})>>>(…)`, guard.length ? `if (!(${guard.join(" && ")})) return;` : "no guard needed"),
        facts([
          ["Simdgroups a group", String(Math.ceil(full / 32)), full % 32 ? `the last one has ${full % 32} lanes` : "all full"],
          ["Lanes without a thread", count(made.idle), "in the last simdgroup of a group"],
          ["Threadgroups per core", round(made.total / state.cores), "on average; the order is undocumented"],
        ]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
