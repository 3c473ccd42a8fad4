/* Dispatch geometry: how a launch is cut, by dispatchThreads and by dispatchThreadgroups.
   Rules: Metal Shading Language 4, sections 4.4.1 and 5.2.3.6; Apple, Calculating threadgroup and grid sizes. */
import { mount as place } from "./instrument.js";
import { quantity } from "./quantities.js";
import { doublings } from "./slider.js";
import { count, draw, facts, label, make, round, sheet, some, table, wrong } from "./ui.js";

const WIDTH = quantity("simdgroup.width");
const MOST_THREADS = quantity("threadgroup.threads");

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
    simdgroups += number * Math.ceil(inside / WIDTH);
    lanes += number * Math.ceil(inside / WIDTH) * WIDTH;
  }
  return { groups, last, total, launched, guarded: launched - product(size), simdgroups, idle: lanes - launched, full: product(group) };
};
/** Where lane i of a simdgroup is, in a group of this shape: linear, x first. */
export const positionOf = (index, [x, y]) => [index % x, Math.floor(index / x) % y, Math.floor(index / x / y)];

/** Where a thread of the grid is: its group, its place in it, simdgroup and lane there. `shape`: threads of that very group. */
export const answer = (thread, group, shape) => {
  const inGroup = thread.map((value, at) => value % group[at]);
  const index = inGroup[0] + shape[0] * (inGroup[1] + shape[1] * inGroup[2]);
  return { inGroup, of: thread.map((value, at) => Math.floor(value / group[at])), index, simdgroup: Math.floor(index / WIDTH), lane: index % WIDTH };
};

const triple = (list) => `(${list.map(count).join(", ")})`;
const product = (list) => list.reduce((a, b) => a * b, 1);
const read = (state) => {
  const size = [state.nx, state.ny, state.nz];
  const group = [state.gx, state.gy, state.gz];
  const threads = state.call === "threads";
  const full = product(group);
  if (full > state.most) throw wrong(`${count(full)} threads per group exceed the pipeline's ${count(state.most)}. Metal rejects the launch; MLX raises an error before it comes to that.`);
  const made = cut({ size, group, threads });
  const extent = threads ? size : made.groups.map((value, at) => value * group[at]);
  const thread = [state.px, state.py, state.pz].map((value, at) => Math.min(value, extent[at] - 1));
  const of = thread.map((value, at) => Math.floor(value / group[at]));
  const shape = of.map((value, at) => (value === made.groups[at] - 1 ? made.last[at] : group[at]));
  return { state, size, group, threads, full, made, extent, thread, shape, ...answer(thread, group, shape), guarded: thread.some((value, at) => value >= size[at]) };
};
const says = ({ group, threads, full, made, thread, of, inGroup, simdgroup, lane, guarded }) => {
  const warnings = [];
  if (group[0] % WIDTH !== 0 && group[1] * group[2] > 1 && full > group[0]) warnings.push(`x is not a multiple of ${WIDTH}, so lane ${Math.min(WIDTH - 1, group[0] < WIDTH ? group[0] : group[0] % WIDTH)} of a simdgroup is in another row than lane 0.`);
  if (threads && made.last.some((value, at) => value !== group[at])) warnings.push("The edge groups shrink: code that expects full groups breaks there.");
  if (made.guarded) warnings.push(`${count(made.guarded)} threads have no element and must leave.`);
  return `${some(made.total, "threadgroup")} of ${count(made.full)} threads, ${some(made.simdgroups, "simdgroup")}, ${count(made.launched)} threads. ${warnings.join(" ")} Thread ${triple(thread)}: group ${triple(of)}, ${triple(inGroup)} in it, simdgroup ${simdgroup}, lane ${lane}${guarded ? ", no element" : ""}.`.replace("  ", " ");
};

/** Which groups along an axis are drawn: the first ones, null for those between, the last; the chosen one always. */
const shown = (number, most, chosen) => {
  if (number <= most) return Array.from({ length: number }, (_, at) => at);
  const first = Array.from({ length: most - 2 }, (_, at) => at);
  return chosen >= most - 2 && chosen < number - 1 ? [...first.slice(0, -1), null, chosen, number - 1] : [...first, null, number - 1];
};
/** The grid as groups, and the chosen group as simdgroups with their lanes. */
const picture = (view, width, ghost) => {
  const { group, made, size, of, shape, index, thread } = view;
  const columns = shown(made.groups[0], width < 400 ? 6 : 10, of[0]);
  const lines = shown(made.groups[1], 4, of[1]);
  const cell = Math.min(52, (width - 4) / columns.length - 4);
  const deep = lines.length > 2 ? 17 : 22;
  const used = (at, axis) => Math.max(0, Math.min(1, (size[axis] - at * group[axis]) / group[axis]));
  const parts = [label(2, 12, `${made.groups.map(count).join(" × ")} groups${made.groups[2] > 1 ? `, layer ${of[2]} of z` : ""}`, "i-ink")];
  const top = 20;
  lines.forEach((line, y) =>
    columns.forEach((column, x) => {
      const [left, high] = [2 + x * (cell + 4), top + y * (deep + 4)];
      if (line === null || column === null) return parts.push(label(left + cell / 2, high + deep / 2 + 4, "…", "d-s d-mid"));
      const here = line === of[1] && column === of[0];
      parts.push(draw("rect", { class: view.threads ? "d-box" : "mw-wait", x: left, y: high, width: cell, height: deep }));
      parts.push(draw("rect", { class: here ? "mw-compute" : "mw-compute mw-part", x: left, y: high, width: Math.max(2, cell * used(column, 0)), height: Math.max(2, deep * used(line, 1)) }));
      if (here) parts.push(draw("rect", { class: "i-cursor", x: left, y: high, width: cell, height: deep }));
    }),
  );
  const number = product(shape);
  const simdgroups = Math.ceil(number / WIDTH);
  const first = top + lines.length * (deep + 4) + 22;
  const left = 24;
  const wide = (width - left - 2) / WIDTH;
  const high = Math.max(6, Math.min(15, 150 / simdgroups));
  parts.push(label(2, first - 6, `group ${triple(of)}: ${some(simdgroups, "simdgroup")} of ${WIDTH} lanes`, "i-ink"));
  const base = of.map((value, at) => value * group[at]);
  for (let row = 0; row < simdgroups; row += 1) {
    if (high > 10 || row % 4 === 0) parts.push(label(left - 5, first + row * high + Math.min(high, 11), row, "d-s d-end"));
    for (let lane = 0; lane < WIDTH; lane += 1) {
      const at = row * WIDTH + lane;
      const place = positionOf(at, shape);
      const without = at < number && place.some((value, axis) => base[axis] + value >= size[axis]);
      const cls = at >= number ? "d-box" : without ? "mw-wait" : (place[1] + place[2] * shape[1]) % 2 ? "mw-compute mw-part" : "mw-compute";
      parts.push(draw("rect", { class: cls, x: left + lane * wide + 0.4, y: first + row * high + 0.4, width: Math.max(1, wide - 0.8), height: high - 0.8 }));
    }
  }
  const spot = (at, cls) => draw("rect", { class: cls, x: left + (at % WIDTH) * wide - 1, y: first + Math.floor(at / WIDTH) * high - 1, width: wide + 2, height: high + 2 });
  if (ghost && ghost.index < simdgroups * WIDTH) parts.push(spot(ghost.index, "i-ghost"));
  parts.push(spot(index, "i-cursor"));
  const bottom = first + simdgroups * high + 8;
  const keys = [["mw-compute", "row of x", 0], ["mw-compute mw-part", "the next", 68], ["d-box", "no thread", 132], !view.threads && ["mw-wait", "no element", 204]].filter(Boolean);
  parts.push(keys.map(([cls, name, at]) => [draw("rect", { class: cls, x: 2 + at, y: bottom, width: 11, height: 11 }), label(17 + at, bottom + 10, name)]));
  return { svg: sheet(width, bottom + 18, parts), columns, lines, cell, deep, top, first, left, wide, high, simdgroups, thread };
};
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const asked = ([px, py, pz]) => ({ px, py, pz });
/** The thread at an index of the view's group. */
const within = ({ of, group, shape }, index) => asked(positionOf(clamp(index, 0, product(shape) - 1), shape).map((value, axis) => of[axis] * group[axis] + value));
/** The same place in another group of the grid. */
const other = ({ group, inGroup, extent }, of) => asked(of.map((value, axis) => clamp(value * group[axis] + inGroup[axis], 0, extent[axis] - 1)));
const hand = {
  name: "A thread of the grid",
  hint: "touch a group or a thread",
  at: ({ thread, extent, of, simdgroup, lane }) => ({ now: thread[0] + extent[0] * (thread[1] + extent[1] * thread[2]), min: 0, max: product(extent) - 1, text: `thread ${triple(thread)}, group ${triple(of)}, simdgroup ${simdgroup}, lane ${lane}` }),
  move(point, { from, state, scale }) {
    const view = read(state);
    if (from.y >= scale.first - 4) {
      const row = clamp(Math.floor((point.y - scale.first) / scale.high), 0, scale.simdgroups - 1);
      return within(view, row * WIDTH + clamp(Math.floor((point.x - scale.left) / scale.wide), 0, WIDTH - 1));
    }
    const pick = (list, place, number) => {
      const at = clamp(Math.floor(place), 0, list.length - 1);
      return list[at] ?? Math.floor((list[at - 1] + 1 + number - 1) / 2);
    };
    return other(view, [pick(scale.columns, (point.x - 2) / (scale.cell + 4), view.made.groups[0]), pick(scale.lines, (point.y - scale.top) / (scale.deep + 4), view.made.groups[1]), view.of[2]]);
  },
  key(name, view) {
    const { index, of, made, extent } = view;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -WIDTH, ArrowDown: WIDTH }[name];
    if (by) return within(view, index + by);
    if (name === "Home") return asked([0, 0, 0]);
    if (name === "End") return asked(extent.map((value) => value - 1));
    const linear = clamp(of[0] + made.groups[0] * (of[1] + made.groups[1] * of[2]) + (name === "PageDown" ? 1 : -1), 0, made.total - 1);
    return other(view, positionOf(linear, made.groups));
  },
};

const GRIDS = [1, 32, 100, ...doublings(128, 2 ** 20, 1), 1000000, 10000000].sort((a, b) => a - b);
const inside = AXES.map((axis, at) => ({ key: `n${axis}`, label: `Grid ${axis}, threads`, value: [1000000, 1, 1][at], min: 1, max: 4294967295, whole: true, group: "Problem", stops: at ? undefined : GRIDS }));
const outside = AXES.map((axis, at) => ({ key: `g${axis}`, label: `Group ${axis}`, value: [256, 1, 1][at], min: 1, max: MOST_THREADS, whole: true, group: "Threadgroup", stops: at < 2 ? [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, MOST_THREADS] : undefined }));
const where = AXES.map((axis, at) => ({ key: `p${axis}`, label: `Ask thread ${axis}`, value: [999999, 0, 0][at], min: 0, max: 4294967295, whole: true, group: "Thread" }));
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
    ...outside.slice(0, 2), inside[0],
    { key: "call", label: "Call", value: "threads", options: [["threads", "dispatchThreads"], ["groups", "dispatchThreadgroups"]] },
    ...inside.slice(1), outside[2],
    { key: "most", label: "Thread limit of the pipeline", value: MOST_THREADS, min: WIDTH, max: MOST_THREADS, whole: true, group: "Threadgroup", help: "maxTotalThreads­PerThreadgroup" },
    { key: "cores", label: "GPU cores", value: quantity("m4.cores"), min: 1, max: 160, whole: true, group: "Threadgroup" },
    ...where,
  ],
  read, says, picture, hand,
  figures: ({ made }) => [
    ["threadgroups", made.total, count(made.total)],
    ["simdgroups", made.simdgroups, count(made.simdgroups)],
    ["threads", made.launched, count(made.launched)],
    ["idle lanes", made.idle, count(made.idle)],
  ],
  details({ state, size, group, threads, full, made }) {
    const lastGroup = made.groups.map((value) => value - 1);
    const lastThread = made.last.map((value) => value - 1);
    const guard = size.map((value, at) => (made.groups[at] * group[at] > value ? `${AXES[at]} < ${value}` : null)).filter(Boolean);
    const triplet = (list) => `width: ${list[0]}, height: ${list[1]}, depth: ${list[2]}`;
    const call = `enc.dispatch${threads ? "Threads" : "Threadgroups"}(MTLSize(${triplet(threads ? size : made.groups)}), threadsPerThreadgroup: group)`;
    const code = (name, ...lines) => make("div", {}, make("p", { class: "mw-i-name" }, make("strong", {}, name)), lines.map((line) => make("p", { class: "mw-i-name" }, line)));
    return [
      table("The last thread of the last threadgroup", ["Parameter", "Value"], [
        ["threadgroup_position_in_grid", triple(lastGroup)],
        ["thread_position_in_threadgroup", triple(lastThread)],
        ["thread_position_in_grid", triple(lastGroup.map((value, at) => value * group[at] + lastThread[at]))],
        ["threads_per_threadgroup", triple(made.last)],
        ["dispatch_threads_per_threadgroup", triple(group)],
        ["threadgroups_per_grid", triple(made.groups)],
        [`thread ${WIDTH + 1} of a full group stands at`, full > WIDTH ? triple(positionOf(WIDTH, group)) : "there is none"],
      ], { numbers: false }),
      code("Metal", `let group = MTLSize(${triplet(group)})`, call),
      code("CUDA", `kernel<<<dim3(${made.groups.join(", ")}), dim3(${group.join(", ")})>>>(…)`, guard.length ? `if (!(${guard.join(" && ")})) return;` : "no guard needed"),
      facts([
        ["Simdgroups per group", String(Math.ceil(full / WIDTH)), full % WIDTH ? `the last one has ${full % WIDTH} lanes` : "all full"],
        ["Lanes without a thread", count(made.idle), "in the last simdgroup of a group"],
        ["Threadgroups per core", round(made.total / state.cores), "on average; the order is undocumented"],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
