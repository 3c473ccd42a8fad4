/* Online softmax, tile by tile. The update is that of ml-explore/mlx steel_attention.h L391-420 (m' = max(m, S),
   c = 2^(m - m'), l = l c + sum P, O = O c + P V) with the division once at the end (L460). */
import { mount as place } from "./instrument.js";
import { scale } from "./plot.js";
import { even } from "./slider.js";
import { draw, facts, label, round, sheet, table, wrong } from "./ui.js";

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

const read = (state) => {
  const scores = parse(state.scores, "Scores");
  const values = parse(state.values, "Values");
  if (scores.length !== values.length) throw wrong(`${scores.length} scores and ${values.length} values: give as many of one as of the other.`);
  const all = online(scores, values, state.tile, state.base);
  const at = Math.min(state.step, all.length);
  return { state, scores, values, all, at, now: all[at - 1], before: all[at - 2] ?? null, exact: direct(scores, values, state.base), done: at === all.length };
};
const show = (value) => round(value, 4);
const says = ({ all, at, now, exact, done }) =>
  `After ${at} of ${all.length} tiles: m = ${show(now.m)}, l = ${show(now.l)}, O = ${show(now.o)}. ${done ? `The result is ${show(now.o)} / ${show(now.l)} = ${show(now.o / now.l)}; two passes give ${show(exact.result)}.` : `O / l = ${show(now.o / now.l)}, of the keys so far.`}`;

/** What a running sum is made of: what was there, rescaled, and what the tile added. */
const gauge = (width, y, name, old, kept, now, most, ghost) => {
  const left = 22;
  const x = scale("linear", [Math.min(0, most[0]), Math.max(most[1], 1e-9)], [left, width - 64]);
  const bar = (cls, from, to) => draw("rect", { class: cls, x: Math.min(x.at(from), x.at(to)), y, width: Math.max(0.5, Math.abs(x.at(to) - x.at(from))), height: 16 });
  return [
    label(2, y + 13, name, "i-ink"),
    draw("path", { class: "d-grid", d: `M${x.at(0)} ${y - 3}v22` }),
    bar("d-d", 0, old), bar("mw-registers mw-part", 0, kept), bar("mw-registers", kept, now),
    ghost !== undefined && draw("path", { class: "i-ghost", d: `M${x.at(ghost)} ${y - 3}v22` }),
    label(x.to + 6, y + 13, show(now), "i-ink"),
  ];
};
const picture = (view, width, ghost) => {
  const { state, scores, all, at, now, before } = view;
  const every = [...scores, ...(ghost?.scores ?? [])];
  const [low, high] = [Math.min(0, ...every), Math.max(1, ...every)];
  const floor = 148;
  const x = (index) => 22 + (index * (width - 30)) / scores.length;
  const y = scale("linear", [low, high], [floor, 26]);
  const wide = (width - 30) / scores.length;
  const gap = Math.min(6, wide * 0.2);
  const from = (at - 1) * state.tile;
  const ends = (key) => [Math.min(0, ...all.map((step) => step[key])), Math.max(...all.map((step) => Math.max(step[key], before ? before[key] : 0)))];
  return {
    x0: 22, wide, y,
    svg: sheet(
      width, floor + 92,
      label(2, 12, at > 1 ? `tile ${at}: all before is multiplied by c = ${show(now.c)}` : `tile 1 of ${all.length}`, "i-ink"),
      draw("rect", { class: "i-chosen", x: x(from) - 1, y: 18, width: Math.min(state.tile, scores.length - from) * wide + 1, height: floor - 6 }),
      scores.map((score, index) => {
        const seen = index < at * state.tile;
        const here = seen && index >= from;
        return [
          draw("rect", { class: here ? "mw-registers" : seen ? "mw-registers mw-part" : "d-box", x: x(index) + gap / 2, y: Math.min(y.at(score), y.at(0)) - (score === 0 ? 1 : 0), width: wide - gap, height: Math.max(2, Math.abs(y.at(score) - y.at(0))) }),
          wide > 18 && label(x(index) + wide / 2, floor + 13, show(score), here ? "i-ink d-mid" : "d-s d-mid"),
        ];
      }),
      draw("path", { class: "i-cursor", d: `M22 ${y.at(now.m)}H${x(Math.min(scores.length, at * state.tile))}` }),
      label(18, y.at(now.m) + 4, "m", "i-ink d-end"),
      ghost && draw("path", { class: "i-ghost", d: `M22 ${y.at(ghost.now.m)}H${width - 8}` }),
      gauge(width, floor + 26, "l", before ? before.l : 0, before ? before.l * now.c : 0, now.l, ends("l"), ghost?.now.l),
      gauge(width, floor + 50, "O", before ? before.o : 0, before ? before.o * now.c : 0, now.o, ends("o"), ghost?.now.o),
      [["d-d", "before", 0], ["mw-registers mw-part", "times c", 66], ["mw-registers", "added", 138]].map(([cls, name, place]) => [draw("rect", { class: cls, x: 22 + place, y: floor + 76, width: 11, height: 11 }), label(22 + place + 15, floor + 86, name)]),
    ),
  };
};
const withScore = ({ state, scores }, index, value) => ({ scores: scores.map((score, at) => (at === index ? value : score)).join(", "), step: Math.floor(index / state.tile) + 1 });
const hand = {
  name: "The row of scores",
  hint: "touch a tile, drag a score",
  at: ({ at, all, now }) => ({ now: at, min: 1, max: all.length, text: `tile ${at} of ${all.length}, m ${show(now.m)}, l ${show(now.l)}, O ${show(now.o)}` }),
  move(point, { from, state, scale: { x0, wide, y } }) {
    const view = read(state);
    const index = Math.min(view.scores.length - 1, Math.max(0, Math.floor((from.x - x0) / wide)));
    // Up and down the score under the pointer follows; sideways the tile.
    if (Math.abs(point.y - from.y) > Math.max(6, Math.abs(point.x - from.x))) return withScore(view, index, Math.round(view.scores[index] + (y.of(Math.min(y.from, Math.max(y.to, y.at(view.scores[index]) + point.y - from.y))) - view.scores[index])));
    return { step: Math.floor(Math.min(view.scores.length - 1, Math.max(0, Math.floor((point.x - x0) / wide))) / state.tile) + 1 };
  },
  key(name, view) {
    const { at, all, scores, state } = view;
    const first = (at - 1) * state.tile;
    const step = { ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - 4, PageUp: at + 4, Home: 1, End: all.length }[name];
    if (step !== undefined) return { step: Math.min(all.length, Math.max(1, step)) };
    return withScore(view, first, Math.min(1000, Math.max(-1000, scores[first] + (name === "ArrowUp" ? 1 : -1))));
  },
};

const spec = {
  title: "Online softmax, one tile at a time",
  presetLabel: "Row",
  presets: [
    ["The row of the text", { scores: "1, 2, 0, 3, 1, 1, 2, 0", values: "4, 8, 16, 2, 6, 2, 4, 8", tile: 2, step: 4, base: "2" }],
    ["Rising scores: every tile rescales", { scores: "0, 1, 2, 3, 4, 5, 6, 7", values: "1, 1, 1, 1, 1, 1, 1, 1", tile: 1, step: 8, base: "2" }],
    ["Largest first: no tile rescales again", { scores: "7, 6, 5, 4, 3, 2, 1, 0", values: "1, 2, 3, 4, 5, 6, 7, 8", tile: 2, step: 4, base: "2" }],
    ["One key per update, as in MLX's decode kernel", { scores: "1, 2, 0, 3, 1, 1, 2, 0", values: "4, 8, 16, 2, 6, 2, 4, 8", tile: 1, step: 8, base: "e" }],
  ],
  controls: [
    { key: "step", label: "Tiles done", value: 4, min: 1, max: 64, whole: true, stops: (state) => even(1, Math.max(1, Math.ceil(state.scores.split(/[\s,;]+/).filter(Boolean).length / state.tile))) },
    { key: "tile", label: "Keys per tile", value: 2, min: 1, max: 64, whole: true, stops: [1, 2, 4, 8, 16, 32, 64] },
    { key: "scores", label: "Scores", value: "1, 2, 0, 3, 1, 1, 2, 0", text: true },
    { key: "values", label: "Values", value: "4, 8, 16, 2, 6, 2, 4, 8", text: true },
    { key: "base", label: "Powers of", value: "2", options: [["2", "2"], ["e", "e"]] },
  ],
  read, says, picture, hand,
  play: {
    label: "Play",
    advance: ({ at, all }, first) => (at < all.length ? { step: at + 1 } : first ? { step: 1 } : null),
  },
  figures: ({ at, now }) => [
    ["tiles", null, String(at)],
    ["m", null, show(now.m)],
    ["l", now.l, show(now.l)],
    ["O", now.o, show(now.o)],
    ["O / l", now.o / now.l, show(now.o / now.l)],
  ],
  details({ state, scores, values, all, at }) {
    const steps = all.slice(0, at);
    const grew = steps.filter((step, place) => place > 0 && step.grew).length;
    const half = Math.ceil(all.length / 2) * state.tile;
    const halves = all.length > 1 && [online(scores.slice(0, half), values.slice(0, half), state.tile, state.base).at(-1), online(scores.slice(half), values.slice(half), state.tile, state.base).at(-1)];
    const whole = halves && merge(halves[0], halves[1], state.base);
    const list = (row) => row.map(show).join(", ");
    return [
      table("Each tile", ["Scores", "Values", "m", "c", "P", "l", "O"], steps.map((step) => [list(step.s), list(step.v), show(step.m), show(step.c), list(step.p), show(step.l), show(step.o)]), { mark: (_, place) => place === at - 1 }),
      facts([
        ["Rescales by less than 1", `${grew} of ${Math.max(0, at - 1)}`, "where the maximum grew; all others multiply by 1"],
        ["Multiplies of O if always rescaled", `${at - 1} for each channel`, `if only on growth: ${grew}`],
        whole && ["Two halves, merged", `${show(whole.o)} / ${show(whole.l)} = ${show(whole.o / whole.l)}`, `m, l, O: ${show(halves[0].m)}, ${show(halves[0].l)}, ${show(halves[0].o)} and ${show(halves[1].m)}, ${show(halves[1].l)}, ${show(halves[1].o)}`],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
