/* Online softmax, tile by tile. The update is that of ml-explore/mlx steel_attention.h L391-420 (m' = max(m, S),
   c = 2^(m - m'), l = l c + sum P, O = O c + P V) with the division once at the end (L460). */
import { bars, facts, mount as place, round, table, wrong } from "./ui.js";

const power = (base, x) => (base === "2" ? 2 ** x : Math.exp(x));
/** One step for each tile: its scores, and m, c, P, l, O after it. */
export const online = (scores, values, tile, base = "2") => {
  const steps = [];
  let [m, l, o] = [-Infinity, 0, 0];
  for (let at = 0; at < scores.length; at += tile) {
    const s = scores.slice(at, at + tile);
    const v = values.slice(at, at + tile);
    const next = Math.max(m, ...s);
    const c = m === -Infinity ? 0 : power(base, m - next);
    const p = s.map((score) => power(base, score - next));
    l = l * c + p.reduce((a, b) => a + b, 0);
    o = o * c + p.reduce((sum, weight, i) => sum + weight * v[i], 0);
    steps.push({ s, v, m: next, c, p, l, o, grew: next > m });
    m = next;
  }
  return steps;
};
/** The same by the definition: two passes. */
export const direct = (scores, values, base = "2") => {
  const most = Math.max(...scores);
  const weights = scores.map((score) => power(base, score - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return { result: weights.reduce((all, weight, at) => all + weight * values[at], 0) / sum, weights: weights.map((weight) => weight / sum), sum };
};
/** Two partial results become one: llama.cpp ggml-metal.metal L7247-7271 does this for 32 workgroups. */
export const merge = (a, b, base = "2") => {
  const m = Math.max(a.m, b.m);
  const [ca, cb] = [power(base, a.m - m), power(base, b.m - m)];
  return { m, l: a.l * ca + b.l * cb, o: a.o * ca + b.o * cb };
};
/** Numbers between commas or spaces. */
export const parse = (text, what) => {
  const list = text.trim().split(/[\s,;]+/).filter(Boolean).map(Number);
  if (!list.length || list.some((value) => !Number.isFinite(value))) throw wrong(`${what}: numbers with commas between them, please.`);
  if (list.length > 64) throw wrong(`${what}: at most 64 numbers.`);
  if (list.some((value) => Math.abs(value) > 1000)) throw wrong(`${what}: between −1,000 and 1,000, please.`);
  return list;
};

const spec = {
  title: "Online softmax, one tile at a time",
  presetLabel: "Row",
  presets: [
    ["The row of the text", { scores: "1, 2, 0, 3, 1, 1, 2, 0", values: "4, 8, 16, 2, 6, 2, 4, 8", tile: 2, step: 4, base: "2" }],
    ["Rising scores: every tile rescales", { scores: "0, 1, 2, 3, 4, 5, 6, 7", values: "1, 1, 1, 1, 1, 1, 1, 1", tile: 1, step: 8, base: "2" }],
    ["Largest first: no tile rescales again", { scores: "7, 6, 5, 4, 3, 2, 1, 0", values: "1, 2, 3, 4, 5, 6, 7, 8", tile: 2, step: 4, base: "2" }],
    ["One key an update, as in MLX's decode kernel", { scores: "1, 2, 0, 3, 1, 1, 2, 0", values: "4, 8, 16, 2, 6, 2, 4, 8", tile: 1, step: 8, base: "e" }],
  ],
  controls: [
    { key: "scores", label: "Scores", value: "1, 2, 0, 3, 1, 1, 2, 0", text: true },
    { key: "values", label: "Values", value: "4, 8, 16, 2, 6, 2, 4, 8", text: true },
    { key: "tile", label: "Keys per tile", value: 2, min: 1, max: 64, whole: true },
    { key: "base", label: "Powers of", value: "2", options: [["2", "2"], ["e", "e"]] },
    { key: "step", label: "Tiles done", value: 4, min: 1, max: 64, whole: true, steps: true },
  ],
  render(state, width) {
    const scores = parse(state.scores, "Scores");
    const values = parse(state.values, "Values");
    if (scores.length !== values.length) throw wrong(`${scores.length} scores and ${values.length} values: give as many of one as of the other.`);
    const all = online(scores, values, state.tile, state.base);
    const at = Math.min(state.step, all.length);
    const now = all[at - 1];
    const steps = all.slice(0, at);
    const exact = direct(scores, values, state.base);
    const done = at === all.length;
    const grew = steps.filter((step, place) => place > 0 && step.grew).length;
    const half = Math.ceil(all.length / 2) * state.tile;
    const halves = all.length > 1 && [online(scores.slice(0, half), values.slice(0, half), state.tile, state.base).at(-1), online(scores.slice(half), values.slice(half), state.tile, state.base).at(-1)];
    const whole = halves && merge(halves[0], halves[1], state.base);
    const show = (value) => round(value, 4);
    const list = (row) => row.map(show).join(", ");
    return {
      says: `After ${at} of ${all.length} tiles: m = ${show(now.m)}, l = ${show(now.l)}, O = ${show(now.o)}. ${done ? `The result is ${show(now.o)} / ${show(now.l)} = ${show(now.o / now.l)}; two passes give ${show(exact.result)}.` : `O / l = ${show(now.o / now.l)}, of the keys so far.`}`,
      shows: [
        table("Each tile", ["Scores", "Values", "m", "c", "P", "l", "O"], steps.map((step) => [list(step.s), list(step.v), show(step.m), show(step.c), list(step.p), show(step.l), show(step.o)]), { mark: (_, place) => place === at - 1 }),
        bars(width, "Weights P of the tile just done", now.p.map((weight, place) => `score ${show(now.s[place])}: ${show(weight)}`).join(", "), now.p.map((weight, place) => [`score ${show(now.s[place])}`, weight, "d-a", show(weight)]), 1),
        facts([
          ["Rescales by less than 1", `${grew} of ${Math.max(0, at - 1)}`, "where the maximum grew; all others multiply by 1"],
          ["Multiplies of O if always rescaled", `${at - 1} for each channel`, `if only on growth: ${grew}`],
          whole && ["Two halves, merged", `${show(whole.o)} / ${show(whole.l)} = ${show(whole.o / whole.l)}`, `m, l, O: ${show(halves[0].m)}, ${show(halves[0].l)}, ${show(halves[0].o)} and ${show(halves[1].m)}, ${show(halves[1].l)}, ${show(halves[1].o)}`],
        ]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
