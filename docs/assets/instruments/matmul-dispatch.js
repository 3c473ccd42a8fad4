/* Which kernel mx.matmul runs, as a map over M and N: MLX 0.32.1 at 3a62199. */
import { grip } from "./hand.js";
import { mount as place } from "./instrument.js";
import { FILE, route } from "./matmul-route.js";
import { nearest, next } from "./slider.js";
import { count, draw, facts, label, link, make, sheet, some } from "./ui.js";

const HOME = "https://github.com/ml-explore/mlx/blob/3a6219917e4535575ce5bce2fc2ba27a483a709b/mlx/backend/metal/";
/** Generation and letter. Letters seen in reports; the others follow the class (mlx/mlx-overview.md). */
export const CHIPS = [
  ["13g", "M1"], ["13s", "M1 Pro, M1 Max"], ["13d", "M1 Ultra"], ["14g", "M2"], ["14s", "M2 Pro, M2 Max"], ["14d", "M2 Ultra"],
  ["15g", "M3"], ["15s", "M3 Pro, M3 Max"], ["15d", "M3 Ultra"], ["16g", "M4"], ["16s", "M4 Pro, M4 Max"], ["17g", "M5"], ["17s", "M5 Pro, M5 Max"], ["17d", "M5 Ultra"],
];
const LAYOUTS = { a: [["n", "row-major"], ["t", "transposed view"], ["s", "strided both ways"]], b: [["t", "w.T of a row-major w"], ["n", "row-major"], ["s", "strided both ways"]] };
const shown = (type) => ({ float16: "half", bfloat16: "bfloat", float32: "float", complex64: "complex" })[type];
const lines = (file, text) => {
  const [first] = text.split(",");
  return link(`${HOME}${file}#${first.replace(/-(\d)/, "-L$1")}`, `${file} ${text}`);
};

/** Sizes at which the map asks, along both axes: the rows that turn a decision, then two to a doubling. */
export const SIZES = [1, 2, 3, 4, 6, 8, 12, 15, 16, ...Array.from({ length: 10 }, (_, at) => [24 * 2 ** at, 32 * 2 ** at]).flat()];
const ask = (state) => route({ ...state, generation: Number(state.chip.slice(0, 2)), letter: state.chip.at(-1) });
let kept = { key: "", map: null };
/** The kind of every cell: rows by M, columns by N; kept while nothing else changes. */
export const decisions = (state) => {
  const { M, N, ...rest } = state;
  const key = JSON.stringify(rest);
  if (kept.key !== key) kept = { key, map: SIZES.map((rows) => SIZES.map((columns) => ask({ ...rest, M: rows, N: columns }).kind)) };
  return kept.map;
};
const read = (state) => {
  const made = ask(state);
  const main = made.kernels.find((kernel) => kernel.grid);
  return { state, made, main, total: main.grid[0] * main.grid[1] * main.grid[2] };
};
const says = ({ made, main, total }) => `${made.kind}: ${main.name}, ${some(total, "threadgroup")} of ${count(main.threads)} threads${made.kernels.length > 1 ? `, ${made.kernels.length} dispatches${made.kind === "dot_product" ? " or more" : ""}` : ""}.`;

const FILLS = { dot_product: "d-box", gemv: "d-c", gemv_wide: "d-d", "split-K": "d-a", "NAX split-K": "d-a", steel: "d-b", NAX: "d-b" };
/** Cells of a row that belong together: [from, past, kind]. */
const runs = (row) => {
  const list = [];
  row.forEach((kind, at) => (list.length && list.at(-1)[2] === kind ? (list.at(-1)[1] = at + 1) : list.push([at, at + 1, kind])));
  return list;
};
const picture = (view, width, ghost) => {
  const { state, made } = view;
  const map = decisions(state);
  const old = ghost && decisions({ ...ghost.state });
  const other = old && old !== map ? old : null;
  const left = 40;
  const cell = Math.min(13, (width - left - 4) / SIZES.length);
  const high = Math.min(cell, width < 400 ? 7 : 9.5);
  const top = 8;
  const bottom = top + SIZES.length * high;
  const x = (at) => left + at * cell;
  const y = (at) => bottom - at * high;
  const parts = [];
  const longest = new Map();
  map.forEach((row, m) => {
    for (const [from, past, kind] of runs(row)) {
      const box = { x: x(from), y: y(m + 1), width: (past - from) * cell, height: high + 0.7 };
      parts.push(draw("rect", { class: `${FILLS[kind]} i-cell`, ...box }));
      const best = longest.get(kind);
      if (!best || past - from > best.size) longest.set(kind, { size: past - from, at: (from + past) / 2, rows: [m] });
      else if (past - from === best.size && Math.abs(best.at - (from + past) / 2) < 0.1) best.rows.push(m);
      // A line where the row below decides otherwise, and where the next cell of this row does.
      if (past < row.length) parts.push(draw("path", { class: "i-edge", d: `M${x(past)} ${y(m)}v${-high}` }));
    }
    if (m) runs(row.map((kind, n) => kind !== map[m - 1][n])).filter(([, , apart]) => apart).forEach(([from, past]) => parts.push(draw("path", { class: "i-edge", d: `M${x(from)} ${y(m)}H${x(past)}` })));
  });
  if (other) map.forEach((row, m) => row.forEach((kind, n) => kind !== other[m][n] && parts.push(draw("circle", { class: "i-dot", cx: x(n + 0.5), cy: y(m + 0.5), r: 1.3 }))));
  for (const [kind, { size, at, rows }] of longest) if (size * cell > kind.length * 7 && rows.length * high > 12) parts.push(label(x(at), y(rows[Math.floor(rows.length / 2)] + 0.5) + 4, kind, "i-tag d-mid"));
  const marks = SIZES.map((size, at) => [size, at]).filter(([size]) => [1, 16, 128, 1024, 8192].includes(size));
  parts.push(marks.map(([size, at]) => [size < 8192 && label(x(at + 0.5), bottom + 14, count(size), "d-s d-mid"), label(left - 5, y(at + 0.5) + 4, count(size), "d-s d-end")]));
  parts.push(label(2, top + 10, "M"), label(x(SIZES.length), bottom + 14, "N", "d-s d-end"));
  const point = (one) => [x(nearest(SIZES, one.N) + 0.5), y(nearest(SIZES, one.M) + 0.5)];
  if (ghost) parts.push(draw("circle", { class: "i-ghost-on", cx: point(ghost.state)[0], cy: point(ghost.state)[1], r: 8 }));
  parts.push(grip(...point(state)));
  let place = 2;
  let line = bottom + 26;
  for (const kind of new Set([...map.flat(), other ? "• A decides otherwise" : ""])) {
    if (!kind) continue;
    const size = kind.length * 6.6 + 26;
    if (place + size > width) [place, line] = [2, line + 17];
    if (FILLS[kind]) parts.push(draw("rect", { class: FILLS[kind], x: place, y: line, width: 11, height: 11 }));
    parts.push(label(place + (FILLS[kind] ? 15 : 0), line + 10, kind, kind === made.kind ? "i-ink" : "d-s"));
    place += size;
  }
  return { svg: sheet(width, line + 18, parts), left, cell, high, bottom };
};
const hand = {
  name: "The product on the map of M and N",
  hint: "drag the point",
  at: ({ state, made }) => ({ now: nearest(SIZES, state.M) * SIZES.length + nearest(SIZES, state.N), min: 0, max: SIZES.length ** 2 - 1, text: `M ${count(state.M)}, N ${count(state.N)}: ${made.kind}` }),
  move(point, { scale: { left, cell, high, bottom } }) {
    const at = (place) => SIZES[Math.min(SIZES.length - 1, Math.max(0, Math.floor(place)))];
    return { M: at((bottom - point.y) / high), N: at((point.x - left) / cell) };
  },
  key(name, { state }) {
    const [m, n] = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageUp: [4, 0], PageDown: [-4, 0], Home: [0, -99], End: [0, 99] }[name];
    return { M: m ? next(SIZES, state.M, m) : state.M, N: n ? next(SIZES, state.N, n) : state.N };
  },
};

const spec = {
  title: "The route of one mx.matmul, MLX 0.32.1",
  presetLabel: "Product",
  presets: [
    ["4,096³, half, x @ w.T, M4 Pro or Max", { chip: "16s", type: "float16", M: 4096, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["The same on an M5", { chip: "17g", type: "float16", M: 4096, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["One token, half, M4", { chip: "16g", type: "float16", M: 1, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["Eight rows, half, M5: not on the matrix units", { chip: "17g", type: "float16", M: 8, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["128 × 128 × 16,384, half, M4 Max", { chip: "16s", type: "float16", M: 128, N: 128, K: 16384, batch: 1, a: "n", b: "n" }],
    ["float, nn, 512³, M3 Ultra", { chip: "15d", type: "float32", M: 512, N: 512, K: 512, batch: 1, a: "n", b: "n" }],
  ],
  controls: [
    { key: "M", label: "M", value: 4096, min: 1, max: 1e6, whole: true, stops: SIZES },
    { key: "N", label: "N", value: 4096, min: 1, max: 1e6, whole: true, stops: SIZES },
    { key: "K", label: "K", value: 4096, min: 1, max: 1e6, whole: true, stops: SIZES },
    { key: "chip", label: "Chip", value: "16s", front: true, options: CHIPS.map(([key, name]) => [key, `${name} (g${key})`]) },
    { key: "type", label: "Type", value: "float16", options: ["float16", "bfloat16", "float32", "complex64"].map((type) => [type, type]) },
    { key: "batch", label: "Batch", value: 1, min: 1, max: 65535, whole: true },
    { key: "a", label: "A is", value: "n", options: LAYOUTS.a },
    { key: "b", label: "B is", value: "t", options: LAYOUTS.b },
    { key: "shared", label: "One B for the whole batch", value: true, check: true, when: (state) => state.batch > 1 },
    { key: "nax", label: "macOS 26.2 and a library with NAX", value: true, check: true, when: (state) => state.chip.startsWith("17") },
    { key: "tf32", label: "TF32 allowed (default)", value: true, check: true, when: (state) => state.chip.startsWith("17") && state.type === "float32" },
  ],
  read, says, picture, hand,
  figures: ({ made, total }) => [
    ["kernel", null, made.kind],
    ["threadgroups", total, count(total)],
  ],
  details({ state, made, main, total }) {
    const path = made.path;
    const last = path.findLastIndex((step) => step.holds);
    return [
      make("ol", { class: "mw-i-path", "aria-label": "Tests in order" }, path.map((step, at) => make("li", { class: at === last ? "mw-i-mark" : step.holds ? "" : "mw-i-idle" }, make("b", {}, step.holds ? "yes" : "no"), make("span", {}, `${step.test}. `, lines(step.file, step.lines)))),
        made.kind === "steel" || made.kind === "NAX" ? make("li", {}, make("b", {}, "then"), make("span", {}, `the ${made.kind === "NAX" ? "NAX" : "classic"} kernel, tile from `, lines(FILE, main.lines))) : null),
      make("div", {}, made.kernels.map((kernel) => make("p", { class: "mw-i-name" }, make("strong", {}, kernel.name), kernel.constants || "", kernel.grid ? ` grid (${kernel.grid.map(count).join(", ")}), group (${kernel.group.join(", ")})` : "", kernel.why ? `: ${kernel.why}` : ""))),
      facts([
        ["As seen by the tests", `M ${count(made.M)}, N ${count(made.N)}, K ${count(made.K)}, batch ${count(made.batch)}`, `${shown(state.type)}, ${state.a === "t" ? "t" : "n"}${state.b === "t" ? "t" : "n"}`],
        main.grid && total < 40 && ["Few threadgroups", count(total), "most cores of a large chip have none"],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
