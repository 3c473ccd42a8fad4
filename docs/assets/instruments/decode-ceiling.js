/* Decode ceiling: bytes per step over bandwidth; prefill: FLOP over the plateau. Both are bounds, not predictions.
   Weights: 2 FLOP for each weight and token. Causal attention over T tokens: 2 x layers x heads x head dimension x T^2.
   Published runs: llama.cpp PR 16634 (mweinbach, 2025-10-25, base M5) and llama.cpp discussion 4167;
   their cache, 64 tokens on average, is left out; the size of LLaMA 7B Q4_0, 3.56 GiB and 6.74 B, from llama.cpp PR 2917. */
import { BITS, FORMATS, cache, fits, perToken } from "./cache.js";
import { grip } from "./hand.js";
import { mount as place } from "./instrument.js";
import { curve, grid, scale, ticks } from "./plot.js";
import { chips, quantity } from "./quantities.js";
import { ridge, roofs } from "./roofs.js";
import { doublings, next } from "./slider.js";
import { bars, bytes, count, draw, facts, label, percent, round, sheet } from "./ui.js";

/** Bytes of the weights that one token reads. */
export const weights = ({ active, bits }) => (active * 1e9 * bits) / 8;
/** One decode step of a batch: bytes, and tokens per second that the bandwidth allows. */
export const decode = (state, gbs) => {
  const ofWeights = weights(state);
  const ofCache = perToken(state) * state.tokens * state.batch;
  const step = ofWeights + ofCache;
  return { ofWeights, ofCache, step, perSecond: (gbs * 1e9 * state.batch) / step };
};
/** FLOP of a prompt: weights and causal attention. */
export const promptFlop = ({ active, layers, heads, headDim, prompt }) => 2 * active * 1e9 * prompt + 2 * layers * heads * headDim * prompt ** 2;
/** Tokens per second of a prompt, and whether arithmetic or reading the weights once is the bound. */
export const prefill = (state, tflops, gbs) => {
  const arithmetic = promptFlop(state) / (tflops * 1e12);
  const reading = weights(state) / (gbs * 1e9);
  return { perSecond: state.prompt / Math.max(arithmetic, reading), bound: arithmetic >= reading ? "arithmetic" : "memory" };
};
/** Sequences at which the weights' arithmetic takes as long as reading everything; null if the cache always takes longer. */
export const crossover = (state, tflops, gbs) => {
  const flop = (2 * state.active) / (tflops * 1e3);
  const read = (perToken(state) * state.tokens) / (gbs * 1e9);
  return flop > read ? weights(state) / (gbs * 1e9) / (flop - read) : null;
};

const shape = (layers, heads, kvHeads, headDim) => ({ layers, heads, kvHeads, headDim });
const llama = shape(32, 32, 32, 128);
const mistral = shape(32, 32, 8, 128);
/** Weights in billions and bits of each, from the counts and the size of a file. */
const model = (weights, size) => {
  const billions = quantity(weights);
  return { active: billions, total: billions, bits: Number(((quantity(size) * 2 ** 30 * 8) / (billions * 1e9)).toFixed(3)) };
};
/** Published runs: name, values, decode and prompt tokens per second, remark, share of the chip's cores where it is not all. */
export const RUNS = [
  ["Mistral 7B Q4_0, base M5", { ...model("mistral.weights", "mistral.size"), ...mistral, chip: "M5", path: "matrix", memory: quantity("m5.memory") }, quantity("m5.mistral.decode"), quantity("m5.mistral.prompt"), "the branch of llama.cpp PR 16634, prompt 512, one machine"],
  ["TinyLlama 1.1B Q4_0, base M5", { ...model("tinyllama.weights", "tinyllama.size"), ...shape(22, 32, 4, 64), chip: "M5", path: "matrix", memory: quantity("m5.memory") }, quantity("m5.tinyllama.decode"), quantity("m5.tinyllama.prompt"), "the branch of llama.cpp PR 16634, prompt 512, one machine, its prompt varied by a fifth"],
  [`LLaMA 7B Q4_0, M1 Pro with ${quantity("m1-pro.llama.cores")} cores`, { ...model("llama.weights", "llama.size"), ...llama, chip: "M1 Pro", path: "alu", memory: quantity("m1-pro.memory") }, quantity("m1-pro.llama.decode"), quantity("m1-pro.llama.prompt"), "llama.cpp discussion 4167; the plateau is that of its cores", quantity("m1-pro.llama.cores") / quantity("m1-pro.cores")],
  [`LLaMA 7B Q4_0, M3 Pro with ${quantity("m3-pro.llama.cores")} cores`, { ...model("llama.weights", "llama.size"), ...llama, chip: "M3 Pro", path: "alu", memory: quantity("m3-pro.memory") }, quantity("m3-pro.llama.decode"), quantity("m3-pro.llama.prompt"), "llama.cpp discussion 4167", quantity("m3-pro.llama.cores") / quantity("m3-pro.cores")],
].map(([name, values, out, into, why, part = 1]) => [name, { ...values, k: "f16", v: "f16", tokens: 0, batch: 1, prompt: 512, roofs: "counted" }, out, into, why, part]);

const runOf = (state) => RUNS.find(([, values]) => Object.entries(values).every(([key, value]) => String(state[key]) === String(value)));

const read = (state) => {
  const run = runOf(state);
  const whole = roofs(chips.get(state.chip), state.path, state.roofs);
  const roof = { ...whole, tflops: whole.tflops === null ? null : whole.tflops * (run?.[5] ?? 1) };
  const out = decode(state, roof.gbs);
  const into = roof.tflops === null ? null : prefill(state, roof.tflops, roof.gbs);
  const turn = roof.tflops === null ? null : crossover(state, roof.tflops, roof.gbs);
  const held = (state.total * 1e9 * state.bits) / 8 + cache(state);
  const [share, verdict] = fits(held, state.memory);
  return { state, run, roof, out, into, turn, held, share, verdict, cacheShare: out.ofCache / out.step };
};
const says = ({ state, run, roof, out, into }) => {
  const prefillSays = into ? `Prefill: at most ${round(into.perSecond)} tokens per second, bound by ${into.bound}.` : `Prefill: unknown, ${roof.from}.`;
  const runSays = run ? ` Published: ${round(run[2], 4)} and ${round(run[3], 4)} tokens per second, ${percent(run[2] / out.perSecond)}${into ? ` and ${percent(run[3] / into.perSecond)}` : ""} of these bounds.` : "";
  return `Decode: at most ${round(out.perSecond)} tokens per second${state.batch > 1 ? ` for ${state.batch} sequences together` : ""}. ${prefillSays}${runSays}`;
};

const LEAST = 256;
const CONTEXT = [0, ...doublings(LEAST, 2 ** 20, 4)];
/** Tokens per second over context, the context on a logarithmic scale that begins with none at all. */
const picture = (view, width, ghost) => {
  const { state, run, out } = view;
  const height = Math.round(Math.min(300, Math.max(210, width * 0.5)));
  const rate = (one, tokens) => decode({ ...one.state, tokens: tokens <= LEAST * 1.0001 ? 0 : tokens }, one.roof.gbs).perSecond;
  const high = Math.max(2 ** 20, state.tokens, ghost?.state.tokens ?? 0);
  const x = scale("log", [LEAST, high], [40, width - 8]);
  const most = Math.max(rate(view, 0), ghost ? rate(ghost, 0) : 0, run ? run[2] : 0);
  const y = scale("linear", [0, most * 1.15], [height - 62, 20]);
  const at = [x.at(Math.max(LEAST, state.tokens)), y.at(out.perSecond)];
  const flip = at[0] > width * 0.6;
  const total = out.ofWeights + out.ofCache;
  const split = x.from + ((x.to - x.from) * out.ofWeights) / total;
  const base = height - 14;
  return {
    x,
    svg: sheet(
      width, height + 16,
      grid(x, y, ticks(LEAST * 2, high, "log", 4), ticks(0, y.high, "linear", 4)),
      label(x.from, y.from + 16, "none", "d-s d-mid"),
      label(2, 12, "tokens per second, over context"),
      ghost && [draw("path", { class: "i-ghost", d: curve(x, y, (tokens) => rate(ghost, tokens)) }), draw("circle", { class: "i-ghost", cx: x.at(Math.max(LEAST, ghost.state.tokens)), cy: y.at(ghost.out.perSecond), r: 7 }), label(x.at(high) - 2, y.at(rate(ghost, high)) - 6, `A ${ghost.state.chip}`, "d-s d-end")],
      draw("path", { class: "i-curve", d: curve(x, y, (tokens) => rate(view, tokens)) }),
      draw("path", { class: "d-dash", d: `M${at[0]} ${at[1]}V${y.from}` }),
      run && [draw("path", { class: "i-limit", d: `M${at[0]} ${at[1]}V${y.at(run[2])}` }), draw("circle", { class: "i-spot", cx: at[0], cy: y.at(run[2]), r: 6 }), label(at[0] + 12, y.at(run[2]) + 4, `published ${round(run[2], 4)}`, "i-ink")],
      grip(...at),
      label(at[0] + (flip ? -13 : 13), at[1] - 7, `at most ${round(out.perSecond)}`, `i-ink${flip ? " d-end" : ""}`),
      draw("rect", { class: "mw-device", x: x.from, y: base - 12, width: split - x.from, height: 12 }),
      draw("rect", { class: "mw-device mw-part", x: split, y: base - 12, width: x.to - split, height: 12 }),
      label(x.from, base + 14, `a step reads weights ${round(out.ofWeights / 1e9)} GB, cache ${round(out.ofCache / 1e9)} GB`, "i-ink"),
    ),
  };
};
const hand = {
  name: "Context in tokens",
  hint: "drag along the curve",
  at: ({ state, out }) => ({ now: state.tokens, min: 0, max: CONTEXT.at(-1), text: `${count(state.tokens)} tokens of context, at most ${round(out.perSecond)} per second` }),
  move(point, { scale: { x } }) {
    const tokens = x.of(point.x);
    return { tokens: tokens < LEAST * 1.09 ? 0 : CONTEXT.slice(1).reduce((best, one) => (Math.abs(Math.log(one / tokens)) < Math.abs(Math.log(best / tokens)) ? one : best)) };
  },
  key(name, { state }) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -4, PageUp: 4, Home: -999, End: 999 }[name];
    return { tokens: next(CONTEXT, state.tokens, by) };
  },
};

const CHIPS = [...chips.keys()].map((name) => [name, name]);
const MAX = { k: "f16", v: "f16", batch: 1, prompt: 4096, chip: "M5 Max", memory: quantity("m5-max.memory"), path: "matrix", roofs: "counted" };
const spec = {
  title: "Ceilings of decode and prefill",
  presetLabel: "Model, or a published run",
  presets: [
    ["8B, grouped queries, 4.5 bits, 32,768 tokens of context, M5 Max", { active: 8, total: 8, bits: 4.5, ...mistral, tokens: 32768, ...MAX }],
    ["70B, grouped queries, 4.5 bits, M5 Max", { active: 70, total: 70, bits: 4.5, ...shape(80, 64, 8, 128), tokens: 8192, ...MAX }],
    ...RUNS.map(([name, values]) => [name, values]),
  ],
  controls: [
    { key: "tokens", label: "Context, tokens", value: 32768, min: 0, max: 1e8, whole: true, stops: CONTEXT },
    { key: "chip", label: "Chip", value: "M5 Max", options: CHIPS, stops: CHIPS.map(([key]) => key) },
    { key: "bits", label: "Bits per weight", value: 4.5, min: 1, max: 32, step: 0.001, stops: [2, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 8, 8.5, 16, 32] },
    { key: "active", label: "Weights read per token, billions", value: 8, min: 0.01, max: 2000, step: 0.01, group: "Model", help: "active ones, for a mixture of experts" },
    { key: "total", label: "Weights in all, billions", value: 8, min: 0.01, max: 4000, step: 0.01, group: "Model" },
    { key: "layers", label: "Layers", value: 32, min: 1, max: 500, whole: true, group: "Model" },
    { key: "heads", label: "Query heads", value: 32, min: 1, max: 512, whole: true, group: "Model" },
    { key: "kvHeads", label: "KV heads", value: 8, min: 1, max: 512, whole: true, group: "Model" },
    { key: "headDim", label: "Head dimension", value: 128, min: 1, max: 1024, whole: true, group: "Model" },
    { key: "k", label: "K stored as", value: "f16", options: FORMATS, group: "Work" },
    { key: "v", label: "V stored as", value: "f16", options: FORMATS, group: "Work" },
    { key: "batch", label: "Sequences", value: 1, min: 1, max: 4096, whole: true, group: "Work" },
    { key: "prompt", label: "Prompt, tokens", value: 4096, min: 1, max: 1e7, whole: true, group: "Work" },
    { key: "memory", label: "Memory of the Mac, GB", value: MAX.memory, min: 8, max: 1024, whole: true, group: "Machine" },
    { key: "path", label: "Prefill on", value: "matrix", options: [["alu", "ALUs, FP32"], ["alu16", "ALUs, FP16"], ["matrix", "matrix units, FP16"]], group: "Machine" },
    { key: "roofs", label: "Roofs", value: "counted", options: [["counted", "published and counted"], ["measured", "measured, where someone has"]], group: "Machine" },
  ],
  read, says, picture, hand,
  figures: ({ out, into, held }) => [
    ["decode", out.perSecond, `${round(out.perSecond)} per second`],
    ["prefill", into?.perSecond ?? null, into ? `${round(into.perSecond)} per second` : "unknown"],
    ["memory", held, bytes(held)],
  ],
  details({ state, run, roof, out, into, turn, held, share, verdict, cacheShare }, width) {
    const bound = [["weights", out.ofWeights, "mw-device"], ["cache", out.ofCache, cacheShare > 0.5 ? "d-hot" : "mw-device"]].map(([name, value, cls]) => [name, value, cls, `${round(value / 1e9)} GB`]);
    return [
      bars(width, "Bytes that one step reads", `Weights ${bound[0][3]}, cache ${bound[1][3]}.`, bound, Math.max(out.ofWeights, out.ofCache)),
      facts([
        ["Decode, one step", `${round(out.step / roof.gbs / 1e6)} ms`, `${round(out.step / 1e9)} GB at ${round(roof.gbs, 4)} GB/s, ${roof.gbsFrom}`],
        ["Prompt", into ? `${round((state.prompt / into.perSecond) * 1000)} ms` : "unknown", roof.tflops === null ? roof.from : `${round(promptFlop(state) / 1e12)} TFLOP at ${round(roof.tflops)} TFLOPS, ${roof.from}`],
        roof.tflops === null
          ? ["Sequences until arithmetic binds", "unknown", roof.from]
          : ["Sequences until arithmetic binds", turn === null ? "never" : round(turn, 2), `${turn === null ? "a sequence's cache takes longer to read than its arithmetic; " : ""}without context about ${round((ridge(roof.tflops, roof.gbs) * state.bits) / 16, 2)}`],
        ["Memory", bytes(held), `${round(share * 100)}% of ${state.memory} GB: ${verdict}`],
        ["Cache", `${percent(cacheShare)} of a step's bytes`, `${round(perToken(state) / 1024, 4)} KiB per token, K ${round(BITS[state.k])} and V ${round(BITS[state.v])} bits`],
        run && ["Published run", run[0], run[4]],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
