/* Roofline: a chip's two ceilings and one kernel under them, to be dragged along. */
import { grip } from "./hand.js";
import { mount as place } from "./instrument.js";
import { apart, curve, grid, scale, ticks } from "./plot.js";
import { chips } from "./quantities.js";
import { CASES, attainable, product, ridge, roofs, rows } from "./roofs.js";
import { doublings, next } from "./slider.js";
import { draw, facts, fixed, label, percent, round, sheet, wrong } from "./ui.js";

const PATHS = [["alu", "ALUs, FP32 multiply-adds"], ["alu16", "ALUs, FP16 multiply-adds"], ["matrix", "matrix units, FP16"]];
const ROWS = doublings(1, 16384, 4);
const rowsAt = (state, meets) => {
  const found = rows(state, meets);
  return found === null ? "never: n and k are too small" : fixed(found, 0);
};

const read = (state) => {
  const roof = roofs(chips.get(state.chip), state.path, state.roofs);
  const over = state.over === "none" ? null : { chip: state.over, ...roofs(chips.get(state.over), state.path, state.roofs) };
  const study = state.kernel.startsWith("c") ? CASES[Number(state.kernel.slice(1))] : null;
  if (state.path === "matrix" && state.kernel === "product" && state.type === "fp32") throw wrong("Unknown: no measured rate of relaxed FP32 on the matrix units has been published. Full FP32 runs at the rate of the ALUs.");
  const { flop, bytes: size } = study ? { flop: study[3], bytes: study[4] } : state.kernel === "product" ? product(state) : { flop: state.flop, bytes: state.bytes };
  const point = flop / size;
  const here = study && study[1] === state.chip && study[2] === state.path;
  const reached = study ? (here ? study[5] : null) : state.ms > 0 ? flop / state.ms / 1e9 : null;
  const known = roof.tflops !== null;
  const best = known ? attainable(point, roof.tflops, roof.gbs) : null;
  const meets = known ? ridge(roof.tflops, roof.gbs) : null;
  return { state, roof, over, study, flop, size, point, reached, known, best, meets, slope: (point * roof.gbs) / 1000 };
};

const says = ({ state, roof, over, study, flop, point, reached, known, best, meets, slope }) => {
  const other = over && (over.tflops === null ? ` ${over.chip}: plateau unknown.` : ` ${over.chip}: ${round(attainable(point, over.tflops, over.gbs))} TFLOPS, ridge ${round(ridge(over.tflops, over.gbs))}.`);
  if (!known) return `The plateau of ${state.chip} on this path is unknown: ${roof.from}. The slope alone allows ${round(slope)} TFLOPS at ${round(point)} FLOP per byte.${other ?? ""}`;
  const memory = point < meets;
  const far = memory ? `${round(meets / point, 2)} times left of the ridge at ${round(meets)}` : `${round(point / meets, 2)} times right of the ridge at ${round(meets)}`;
  let text = `Bound by ${memory ? "memory" : "arithmetic"}: ${round(point)} FLOP per byte is ${far}. At most ${round(best)} TFLOPS, at least ${round(flop / best / 1e9)} ms.`;
  if (reached) text += ` Reached ${round(reached)}, ${percent(reached / best)} of the bound${reached > best * 1.02 ? ": above the roof, so the bytes were counted at another boundary or this roof is too low" : ""}.`;
  else if (study) text += ` Measured on ${study[1]} (${PATHS.find(([key]) => key === study[2])[1]}), so no distance is given here.`;
  return text + (other ?? "");
};

/** The two roofs as one path; without a plateau only the slope. */
const roofPath = (x, y, { tflops, gbs }) => curve(x, y, (at) => (tflops === null ? ((at * gbs) / 1000 > y.high ? null : (at * gbs) / 1000) : attainable(at, tflops, gbs)), 160);
const picture = (view, width, ghost) => {
  const height = Math.round(Math.min(400, Math.max(240, width * 0.6)));
  const others = [view, view.over, ghost, ghost?.over].filter(Boolean).map((one) => one.roof ?? one);
  const low = Math.min(0.25, 2 ** Math.floor(Math.log2(view.point)));
  const high = Math.max(4096, 2 ** Math.ceil(Math.log2(view.point)));
  const least = Math.min(...others.map((roof) => (low * roof.gbs) / 1000), view.reached || Infinity, ghost?.reached || Infinity);
  const most = Math.max(...others.map((roof) => roof.tflops ?? (high * roof.gbs) / 8000), view.reached || 0, ghost?.reached || 0);
  const x = scale("log", [low, high], [40, width - 10]);
  const y = scale("log", [10 ** Math.floor(Math.log10(least)), most * 2], [height - 36, 22]);
  const flip = x.at(view.point) > width * 0.6;
  const beside = (text, at, dx, dy) => label(x.at(view.point) + (flip ? -dx : dx), at + dy, text, flip ? "d-s d-end" : "d-s");
  const top = view.known ? view.best : view.slope;
  const names = apart([[view.roof, view.state.chip], view.over && [view.over, view.over.chip], ghost && [ghost.roof, `A ${ghost.state.chip}`]].filter((each) => each && each[0].tflops !== null).map(([roof, name]) => ({ y: y.at(roof.tflops) - 6, text: `${name} ${round(roof.tflops)}` })));
  const { known, meets, reached, point } = view;
  return {
    x, y,
    svg: sheet(
      width, height,
      grid(x, y, ticks(low, high, "log"), ticks(y.low, y.high, "log")),
      label(2, 12, "TFLOPS"),
      label((x.from + x.to) / 2, height - 4, "FLOP per byte at DRAM", "d-s d-mid"),
      ghost && [draw("path", { class: "i-ghost", d: roofPath(x, y, ghost.roof) }), ghost.known && draw("circle", { class: "i-ghost", cx: x.at(ghost.point), cy: y.at(ghost.best), r: 7 })],
      view.over && draw("path", { class: "i-over", d: roofPath(x, y, view.over) }),
      draw("path", { class: "i-curve", d: roofPath(x, y, view.roof) }),
      names.map((one) => label(x.to, one.y, one.text, "d-s d-end")),
      known && meets < high && [draw("path", { class: "d-dash", d: `M${x.at(meets)} ${y.at(view.roof.tflops)}V${y.from}` }), label(x.at(meets) + (x.at(meets) > x.from + 80 ? -4 : 4), y.from - 6, `ridge ${round(meets)}`, x.at(meets) > x.from + 80 ? "d-s d-end" : "d-s")],
      draw("path", { class: "d-dash", d: `M${x.at(point)} ${y.at(top)}V${y.from}` }),
      reached && [draw("path", { class: "i-limit", d: `M${x.at(point)} ${y.at(top)}V${y.at(reached)}` }), grip(x.at(point), y.at(reached), "i-spot")],
      grip(x.at(point), y.at(top)),
      beside(`bound ${round(top)}`, y.at(top), 12, 18),
      reached && beside(`reached ${round(reached)}`, y.at(reached), 12, reached > top ? -8 : Math.abs(y.at(top) - y.at(reached)) < 30 ? 32 : 4),
    ),
  };
};

/** The values that put the point at an intensity: rows of a product, or FLOP of numbers of one's own. */
const slide = (state, point) => {
  if (state.kernel === "product") {
    const m = rows(state, point);
    return { m: Math.max(1, Math.min(1e6, m ?? 1e6)) };
  }
  const { bytes: size } = state.kernel === "numbers" ? state : { bytes: CASES[Number(state.kernel.slice(1))][4] };
  return { kernel: "numbers", bytes: size, flop: Math.max(1, Math.min(1e18, point * size)) };
};
const timed = ({ flop }, tflops) => ({ ms: Number((flop / tflops / 1e9).toPrecision(4)) });
const hand = {
  name: "The point under the roof",
  hint: "drag the point",
  at: (view) => ({ now: view.point.toPrecision(3), min: 0, max: 16384, text: `${round(view.point)} FLOP per byte, bound ${view.known ? `${round(view.best)} TFLOPS` : "unknown"}${view.reached ? `, reached ${round(view.reached)}` : ""}` }),
  move(point, { from, state, scale: { x, y } }) {
    const view = read(state);
    // Taken at the reached point, the drag sets the time; anywhere else the intensity.
    if (state.ms > 0 && view.reached && !view.study && Math.hypot(from.x - x.at(view.point), from.y - y.at(view.reached)) < 24 && Math.abs(from.y - y.at(view.best ?? view.slope)) > 12) return timed(view, y.of(point.y));
    return slide(state, x.of(point.x));
  },
  key(name, view) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -8, PageUp: 8 }[name];
    if (by && view.state.kernel === "product") return { m: next(ROWS, view.state.m, by) };
    if (by) return slide(view.state, view.point * 2 ** (by / 4));
    if (name === "Home") return slide(view.state, 1);
    if (name === "End") return slide(view.state, 2048);
    const top = view.known ? view.best : view.slope;
    const times = name === "ArrowUp" ? 2 ** 0.125 : 2 ** -0.125;
    return { ...(view.study ? slide(view.state, view.point) : {}), ...timed(view, Math.min(top, (view.reached ?? top) * times)) };
  },
};

const CHIPS = [...chips.keys()].map((name) => [name, name]);
const isProduct = (state) => state.kernel === "product";
const spec = {
  title: "Roofline of a chip",
  controls: [
    { key: "kernel", label: "Kernel", value: "product", front: true, wide: true, options: [["product", "A matrix product of your size"], ["numbers", "FLOP and bytes of your own"], ...CASES.map(([name], at) => [`c${at}`, name])], sets: (value) => (value.startsWith("c") ? { chip: CASES[Number(value.slice(1))][1], path: CASES[Number(value.slice(1))][2] } : {}) },
    { key: "m", label: "Rows of A (tokens)", value: 64, min: 1, max: 1e6, whole: true, stops: ROWS, when: isProduct },
    { key: "chip", label: "Chip", value: "M5 Max", options: CHIPS, stops: CHIPS.map(([key]) => key) },
    { key: "over", label: "Laid over it", value: "none", options: [["none", "none"], ...CHIPS], stops: ["none", ...CHIPS.map(([key]) => key)] },
    { key: "path", label: "Path", value: "alu", options: PATHS },
    { key: "roofs", label: "Roofs", value: "measured", options: [["measured", "measured, where someone has"], ["counted", "published and counted"]] },
    { key: "n", label: "Columns of B", value: 4096, min: 1, max: 1e6, whole: true, when: isProduct },
    { key: "k", label: "K", value: 4096, min: 1, max: 1e6, whole: true, when: isProduct },
    { key: "type", label: "Values", value: "fp16", options: [["fp32", "fp32"], ["fp16", "fp16 or bf16"], ["q8", "fp16, weights 8-bit (8.5)"], ["q4", "fp16, weights 4-bit (4.5)"]], when: isProduct },
    { key: "flop", label: "FLOP", value: 1e9, min: 1, max: 1e18, when: (state) => state.kernel === "numbers" },
    { key: "bytes", label: "Bytes at DRAM", value: 1e8, min: 1, max: 1e15, when: (state) => state.kernel === "numbers" },
    { key: "ms", label: "Your time, ms", value: 0, min: 0, max: 1e7, help: "0 if not measured", when: (state) => !state.kernel.startsWith("c") },
  ],
  read, says, picture, hand,
  figures: (view) => [
    ["bound", view.best, view.known ? `${round(view.best)} TFLOPS` : "unknown"],
    ["ridge", view.meets, view.known ? round(view.meets) : "unknown"],
    ["intensity", view.point, round(view.point)],
  ],
  details({ state, roof, study, flop, size, point, known, meets }) {
    return [
      facts([
        ["Work and traffic", `${round(flop / 1e9)} GFLOP, ${round(size / 1e6)} MB`, `${round(point)} FLOP per byte at DRAM`],
        ["Slope", `${round(roof.gbs, 4)} GB/s`, roof.gbsFrom],
        ["Plateau", known ? `${round(roof.tflops)} TFLOPS` : "unknown", roof.from],
        roof.mixed && ["Ridge", round(meets), "one roof measured, the other counted or published: a rough figure"],
        study && ["Measurement", `${round(study[5])} TFLOPS on ${study[1]}`, study[6]],
        state.kernel === "product" && known && point < meets && ["Rows at the ridge", rowsAt(state, meets), "from here on arithmetic is the bound"],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
