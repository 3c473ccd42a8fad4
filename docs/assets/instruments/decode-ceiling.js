/* Decode ceiling: bytes per step over bandwidth; prefill: FLOP over the plateau. Both are bounds, not predictions.
   Weights: 2 FLOP for each weight and token. Causal attention over T tokens: 2 x layers x heads x head dimension x T^2.
   Published runs: llama.cpp PR 16634 (mweinbach, 2025-10-25, llama-bench, base M5) and llama.cpp discussion 4167;
   their cache, 64 tokens on average, is left out; the size of LLaMA 7B Q4_0, 3.56 GiB and 6.74 B, from llama.cpp PR 2917. */
import { chips } from "./quantities.js";
import { bars, bytes, facts, mount as place, percent, round } from "./ui.js";
import { BITS, FORMATS, cache, fits, perToken } from "./kv-cache.js";
import { ridge, roofs } from "./roofline.js";

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
/** Tokens a second of a prompt, and whether arithmetic or reading the weights once is the bound. */
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
const bits = (gib, billions) => Number(((gib * 2 ** 30 * 8) / (billions * 1e9)).toFixed(3));
/** Published runs: name, values, decode and prompt tokens per second, remark, share of the chip's cores where it is not all. */
export const RUNS = [
  ["Mistral 7B Q4_0, base M5", { active: 7.24, total: 7.24, bits: bits(3.83, 7.24), ...mistral, chip: "M5", path: "matrix", memory: 32 }, 26.59, 608.05, "llama-bench in llama.cpp PR 16634, prompt 512, one machine"],
  ["TinyLlama 1.1B Q4_0, base M5", { active: 1.1, total: 1.1, bits: bits(0.59, 1.1), ...shape(22, 32, 4, 64), chip: "M5", path: "matrix", memory: 32 }, 149.69, 3959.13, "llama-bench in llama.cpp PR 16634, prompt 512, one machine, prompt ± 870"],
  ["LLaMA 7B Q4_0, M1 Pro with 14 cores", { active: 6.74, total: 6.74, bits: bits(3.56, 6.74), ...llama, chip: "M1 Pro", path: "alu", memory: 32 }, 35.52, 232.55, "llama.cpp discussion 4167; the plateau is 14/16 of the chip's", 14 / 16],
  ["LLaMA 7B Q4_0, M3 Pro with 18 cores", { active: 6.74, total: 6.74, bits: bits(3.56, 6.74), ...llama, chip: "M3 Pro", path: "alu", memory: 36 }, 30.74, 341.67, "llama.cpp discussion 4167"],
].map(([name, values, out, into, why, part = 1]) => [name, { ...values, k: "f16", v: "f16", tokens: 0, batch: 1, prompt: 512, roofs: "counted" }, out, into, why, part]);

const runOf = (state) => RUNS.find(([, values]) => Object.entries(values).every(([key, value]) => String(state[key]) === String(value)));

const spec = (table) => ({
  title: "Ceilings of decode and prefill",
  presetLabel: "Model, or a published run",
  presets: [
    ["8B, grouped queries, 4.5 bits, 32,768 tokens of context, M5 Max", { active: 8, total: 8, bits: 4.5, ...mistral, k: "f16", v: "f16", tokens: 32768, batch: 1, prompt: 4096, chip: "M5 Max", memory: 128, path: "matrix", roofs: "counted" }],
    ["70B, grouped queries, 4.5 bits, M5 Max", { active: 70, total: 70, bits: 4.5, ...shape(80, 64, 8, 128), k: "f16", v: "f16", tokens: 8192, batch: 1, prompt: 4096, chip: "M5 Max", memory: 128, path: "matrix", roofs: "counted" }],
    ...RUNS.map(([name, values]) => [name, values]),
  ],
  controls: [
    { key: "active", label: "Weights read per token, billions", value: 8, min: 0.01, max: 2000, step: 0.01, group: "Model", help: "active ones, for a mixture of experts" },
    { key: "total", label: "Weights in all, billions", value: 8, min: 0.01, max: 4000, step: 0.01, group: "Model" },
    { key: "bits", label: "Bits per weight", value: 4.5, min: 1, max: 32, step: 0.001, group: "Model", help: "scales included" },
    { key: "layers", label: "Layers", value: 32, min: 1, max: 500, whole: true, group: "Model" },
    { key: "heads", label: "Query heads", value: 32, min: 1, max: 512, whole: true, group: "Model" },
    { key: "kvHeads", label: "KV heads", value: 8, min: 1, max: 512, whole: true, group: "Model" },
    { key: "headDim", label: "Head dimension", value: 128, min: 1, max: 1024, whole: true, group: "Model" },
    { key: "k", label: "K stored as", value: "f16", options: FORMATS, group: "Work" },
    { key: "v", label: "V stored as", value: "f16", options: FORMATS, group: "Work" },
    { key: "tokens", label: "Context, tokens", value: 32768, min: 0, max: 1e8, whole: true, group: "Work" },
    { key: "batch", label: "Sequences", value: 1, min: 1, max: 4096, whole: true, group: "Work" },
    { key: "prompt", label: "Prompt, tokens", value: 4096, min: 1, max: 1e7, whole: true, group: "Work" },
    { key: "chip", label: "Chip", value: "M5 Max", options: [...table.keys()].map((name) => [name, name]), group: "Machine" },
    { key: "memory", label: "Memory of the Mac, GB", value: 128, min: 8, max: 1024, whole: true, group: "Machine" },
    { key: "path", label: "Prefill on", value: "matrix", options: [["alu", "ALUs, FP32"], ["alu16", "ALUs, FP16"], ["matrix", "matrix units, FP16"]], group: "Machine" },
    { key: "roofs", label: "Roofs", value: "counted", options: [["counted", "published and counted"], ["measured", "measured, where someone has"]], group: "Machine" },
  ],
  render(state, width) {
    const run = runOf(state);
    const whole = roofs(table.get(state.chip), state.path, state.roofs);
    const roof = { ...whole, tflops: whole.tflops === null ? null : whole.tflops * (run?.[5] ?? 1) };
    const out = decode(state, roof.gbs);
    const into = roof.tflops === null ? null : prefill(state, roof.tflops, roof.gbs);
    const turn = roof.tflops === null ? null : crossover(state, roof.tflops, roof.gbs);
    const held = (state.total * 1e9 * state.bits) / 8 + cache(state);
    const [share, verdict] = fits(held, state.memory);
    const cacheShare = out.ofCache / out.step;
    const prefillSays = into ? `Prefill: at most ${round(into.perSecond)} tokens per second, bound by ${into.bound}.` : `Prefill: unknown, ${roof.from}.`;
    const runSays = run ? ` Published: ${round(run[2], 4)} and ${round(run[3], 4)} tokens per second, ${percent(run[2] / out.perSecond)}${into ? ` and ${percent(run[3] / into.perSecond)}` : ""} of these bounds.` : "";
    const bound = [["weights", out.ofWeights, "d-a"], ["cache", out.ofCache, cacheShare > 0.5 ? "d-hot" : "d-c"]].map(([name, value, cls]) => [name, value, cls, `${round(value / 1e9)} GB`]);
    return {
      says: `Decode: at most ${round(out.perSecond)} tokens per second${state.batch > 1 ? ` for ${state.batch} sequences together` : ""}. ${prefillSays}${runSays}`,
      shows: [
        bars(width, "Bytes that one step reads", `Weights ${bound[0][3]}, cache ${bound[1][3]}.`, bound, Math.max(out.ofWeights, out.ofCache)),
        facts([
          ["Decode, one step", `${round((out.step / roof.gbs) / 1e6)} ms`, `${round(out.step / 1e9)} GB at ${round(roof.gbs, 4)} GB/s, ${roof.gbsFrom}`],
          ["Prompt", into ? `${round((state.prompt / into.perSecond) * 1000)} ms` : "unknown", roof.tflops === null ? roof.from : `${round(promptFlop(state) / 1e12)} TFLOP at ${round(roof.tflops)} TFLOPS, ${roof.from}`],
          roof.tflops === null
            ? ["Sequences until arithmetic binds", "unknown", roof.from]
            : ["Sequences until arithmetic binds", turn === null ? "never" : round(turn, 2), `${turn === null ? "a sequence's cache takes longer to read than its arithmetic; " : ""}without context about ${round((ridge(roof.tflops, roof.gbs) * state.bits) / 16, 2)}`],
          ["Memory", bytes(held), `${round(share * 100)}% of ${state.memory} GB: ${verdict}`],
          ["Cache", `${percent(cacheShare)} of a step's bytes`, `${round(perToken(state) / 1024, 4)} KiB per token, K ${round(BITS[state.k])} and V ${round(BITS[state.v])} bits`],
          run && ["Published run", run[0], run[4]],
        ]),
      ],
    };
  },
});
export const mount = (element) => place(element, spec(chips));
