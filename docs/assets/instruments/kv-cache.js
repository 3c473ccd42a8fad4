/* KV cache: a curve over tokens, under the memory that it has to fit. */
import { BITS, FORMATS, WORKING_SET, cache, fits, milliseconds, perToken, shipped, tokensAt } from "./cache.js";
import { grip } from "./hand.js";
import { mount as place } from "./instrument.js";
import { curve, grid, scale, short, ticks } from "./plot.js";
import { chips, quantity } from "./quantities.js";
import { roofs } from "./roofs.js";
import { doublings, next } from "./slider.js";
import { bars, bytes, count, draw, facts, label, round, sheet } from "./ui.js";

const GB = 2 ** 30;
const TOKENS = doublings(128, 2 ** 22, 4);
const read = (state) => {
  const size = cache(state);
  const { gbs, gbsFrom } = roofs(chips.get(state.chip), "alu", state.roofs);
  const [share, verdict] = fits(size, state.memory);
  return { state, size, gbs, gbsFrom, share, verdict, ms: milliseconds(size, gbs), most: tokensAt(state, state.memory * GB * WORKING_SET[0]) };
};
const says = ({ state, size, ms, most, verdict }) =>
  `${round(size / 1e9)} GB, ${count(perToken(state))} bytes per token. Reading it once takes at least ${round(ms)} ms on ${state.chip}, so attention alone allows at most ${round(1000 / ms)} steps per second. In ${state.memory} GB: ${verdict}; ${short(most)} tokens fit.`;

/** The cache over tokens, both scales logarithmic, under the shares of memory that a GPU may hold. */
const picture = (view, width, ghost) => {
  const { state, size } = view;
  const height = Math.round(Math.min(330, Math.max(230, width * 0.55)));
  const high = Math.max(2 ** 20, 2 ** Math.ceil(Math.log2(Math.max(state.tokens, ghost?.state.tokens ?? 0))));
  const x = scale("log", [128, high], [56, width - 8]);
  const memory = state.memory * GB;
  const y = scale("log", [Math.min(1e7, cache({ ...state, tokens: 128 })), Math.max(memory * 2, size, ghost?.size ?? 0)], [height - 36, 8]);
  const limits = [WORKING_SET[0], WORKING_SET[1], 1].map((part) => y.at(memory * part));
  const below = (shape) => (tokens) => (cache({ ...shape, tokens }) > y.high ? null : cache({ ...shape, tokens }));
  const full = Math.min(high, tokensAt(state, memory * WORKING_SET[0]));
  return {
    x,
    svg: sheet(
      width, height,
      grid(x, y, ticks(128, high, "log", width < 400 ? 4 : 6), ticks(y.low, y.high, "log", 5), (value) => (value >= 1e7 ? `${short(value / 1e9)} GB` : short(value))).flat(),
      draw("rect", { class: "i-nofit", x: x.from, y: y.to, width: x.to - x.from, height: limits[2] - y.to }),
      draw("rect", { class: "i-perhaps", x: x.from, y: limits[2], width: x.to - x.from, height: limits[0] - limits[2] }),
      limits.map((at, place) => draw("path", { class: place === 2 ? "i-edge" : "d-dash", d: `M${x.from} ${at}H${x.to}` })),
      label(x.from + 4, limits[2] - 5, `${state.memory} GB`, "i-ink"),
      label(x.from + 4, limits[0] + 13, `${quantity("ollama.share").join(" to ")}%`),
      ghost && [draw("path", { class: "i-ghost", d: curve(x, y, below(ghost.state)) }), draw("circle", { class: "i-ghost", cx: x.at(ghost.state.tokens), cy: y.at(ghost.size), r: 7 }), ghost.state.memory !== state.memory && draw("path", { class: "i-ghost", d: `M${x.from} ${y.at(ghost.state.memory * GB)}H${x.to}` })],
      draw("path", { class: "i-curve", d: curve(x, y, below(state)) }),
      full < high && full > 128 && [draw("path", { class: "i-limit", d: `M${x.at(full)} ${limits[0]}V${y.from}` }), label(x.at(full) + (x.at(full) > width * 0.7 ? -5 : 5), y.from - 6, short(full), `i-ink${x.at(full) > width * 0.7 ? " d-end" : ""}`)],
      draw("path", { class: "d-dash", d: `M${x.at(state.tokens)} ${y.at(size)}V${y.from}` }),
      grip(x.at(state.tokens), y.at(size)),
      label(x.at(state.tokens) - 13, y.at(size) - 8, `${round(size / 1e9)} GB`, "i-ink d-end"),
      label((x.from + x.to) / 2, height - 4, "tokens", "d-s d-mid"),
    ),
  };
};
const hand = {
  name: "Tokens in the cache",
  hint: "drag along the curve",
  at: ({ state, size, verdict }) => ({ now: state.tokens, min: 1, max: TOKENS.at(-1), text: `${count(state.tokens)} tokens, ${round(size / 1e9)} GB, ${verdict}` }),
  move: (point, { scale: { x } }) => ({ tokens: TOKENS.reduce((best, one) => (Math.abs(Math.log(one / x.of(point.x))) < Math.abs(Math.log(best / x.of(point.x))) ? one : best)) }),
  key(name, { state }) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -4, PageUp: 4, Home: -999, End: 999 }[name];
    return { tokens: next(TOKENS, state.tokens, by) };
  },
};

const CHIPS = [...chips.keys()].map((name) => [name, name]);
const spec = {
  title: "Size of a KV cache, and the time to read it",
  presetLabel: "Model shape",
  presets: [
    ["8B, 32 layers, 8 KV heads of 128", { layers: 32, kvHeads: 8, headDim: 128 }],
    ["The same without grouped queries, 32 KV heads", { layers: 32, kvHeads: 32, headDim: 128 }],
    ["Qwen2.5-7B, 28 layers, 4 KV heads of 128", { layers: 28, kvHeads: 4, headDim: 128 }],
    ["70B, 80 layers, 8 KV heads of 128", { layers: 80, kvHeads: 8, headDim: 128 }],
  ],
  controls: [
    { key: "tokens", label: "Tokens", value: 32768, min: 1, max: 1e8, whole: true, stops: TOKENS },
    { key: "batch", label: "Sequences", value: 1, min: 1, max: 4096, whole: true, stops: doublings(1, 256, 2) },
    { key: "memory", label: "Memory of the Mac, GB", value: 128, min: 8, max: 1024, whole: true, stops: [8, 16, 18, 24, 32, 36, 48, 64, 96, 128, 192, 256, 512] },
    { key: "layers", label: "Layers with a cache", value: 32, min: 1, max: 500, whole: true, group: "Model" },
    { key: "kvHeads", label: "KV heads", value: 8, min: 1, max: 512, whole: true, group: "Model" },
    { key: "headDim", label: "Head dimension", value: 128, min: 1, max: 1024, whole: true, group: "Model" },
    { key: "k", label: "K stored as", value: "f16", options: FORMATS, group: "Model" },
    { key: "v", label: "V stored as", value: "f16", options: FORMATS, group: "Model" },
    { key: "chip", label: "Chip", value: "M5 Max", options: CHIPS, group: "Machine" },
    { key: "roofs", label: "Bandwidth", value: "measured", options: [["measured", "measured, where someone has"], ["counted", "published"]], group: "Machine" },
  ],
  read, says, picture, hand,
  figures: ({ size, ms, most }) => [
    ["size", size, `${round(size / 1e9)} GB`],
    ["one read", ms, `${round(ms)} ms`],
    ["tokens that fit", most, short(most)],
  ],
  details({ state, size, gbs, gbsFrom, share, verdict }, width) {
    const others = [["both in fp16", "f16", "f16"], ["both in 8.5 bits", "q8_0", "q8_0"], ["K 8.5, V 4.5 bits", "q8_0", "q4_0"], ["both in 4.5 bits", "q4_0", "q4_0"]].map(([name, k, v]) => [name, cache({ ...state, k, v })]);
    const rows = [["as chosen", size, "d-hot"], ...others.map(([name, value]) => [name, value, "mw-device"])].map(([name, value, cls]) => [name, value, cls, `${round(value / 1e9)} GB`]);
    return [
      bars(width, "Size of the cache by format", rows.map(([name, , , text]) => `${name} ${text}`).join(", "), rows, Math.max(...rows.map(([, value]) => value))),
      facts([
        ["Bits per value", `K ${round(BITS[state.k])}, V ${round(BITS[state.v])}`, "scales included"],
        ["Bandwidth", `${round(gbs, 4)} GB/s`, gbsFrom],
        ["In memory", verdict, `${bytes(size)}, ${round(share * 100)}% of ${state.memory} GB, before weights. Recommended working sets were ${quantity("ollama.share").join(" to ")}%.`],
        shipped(state.k, state.v) && ["As shipped", "no", shipped(state.k, state.v)],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
