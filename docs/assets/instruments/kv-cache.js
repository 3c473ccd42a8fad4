/* KV cache: 2 x layers x KV heads x head dimension x bits x tokens, and what reading it once a step costs.
   Bits with their scales. ggml blocks of 32: ggml-org/llama.cpp ggml/src/ggml-common.h L184-246 (q4_0 18 bytes, q4_1 20,
   q5_0 22, q5_1 24, q8_0 34). MLX affine, group 64, fp16 scale and bias: 32 bits for 64 values (mlx-lm 0.32.2,
   mlx_lm/models/cache.py). llama.cpp's Metal attention takes only equal types for K and V: ggml-metal-device.m L1165-1167. */
import { chips, quantity } from "./quantities.js";
import { bars, bytes, count, facts, mount as place, round } from "./ui.js";
import { roofs } from "./roofline.js";

export const BITS = { f32: 32, f16: 16, q8_0: (34 * 8) / 32, q5_1: (24 * 8) / 32, q5_0: (22 * 8) / 32, q4_1: (20 * 8) / 32, q4_0: (18 * 8) / 32, mlx8: 8 + 32 / 64, mlx4: 4 + 32 / 64 };
export const FORMATS = [["f16", "fp16 or bf16"], ["f32", "fp32"], ["q8_0", "llama.cpp q8_0, 8.5 bits"], ["q5_1", "llama.cpp q5_1, 6 bits"], ["q5_0", "llama.cpp q5_0, 5.5 bits"], ["q4_1", "llama.cpp q4_1, 5 bits"], ["q4_0", "llama.cpp q4_0, 4.5 bits"], ["mlx8", "mlx-lm 8-bit, group 64, 8.5 bits"], ["mlx4", "mlx-lm 4-bit, group 64, 4.5 bits"]];

/** Bytes for one token of one sequence. */
export const perToken = ({ layers, kvHeads, headDim, k, v }) => (layers * kvHeads * headDim * (BITS[k] + BITS[v])) / 8;
/** Bytes of the whole cache. */
export const cache = (shape) => perToken(shape) * shape.tokens * (shape.batch ?? 1);
/** Milliseconds to read so many bytes once. */
export const milliseconds = (size, gbs) => size / gbs / 1e6;

/** Shares of memory that the GPU is recommended to hold, lowest and highest seen: ollama PR 17367. */
export const WORKING_SET = quantity("ollama.share").map((share) => share / 100);
/** Where a size stands against those shares. Memory in GB as Apple counts it, 2^30 bytes. */
export const fits = (size, gigabytes) => {
  const share = size / (gigabytes * 2 ** 30);
  return [share, share <= WORKING_SET[0] ? "fits" : share <= WORKING_SET[1] ? "depends on the Mac's limit" : share <= 1 ? "only with a raised limit, if at all" : "does not fit"];
};

/** Both K and V in one framework's format, or a pair that neither ships. */
export const shipped = (k, v) => (k === v ? null : "K and V differ: llama.cpp's Metal attention refuses that at the pin, and mlx-lm stores both with the same bits.");

const spec = (table) => ({
  title: "Size of a KV cache, and the time to read it",
  presetLabel: "Model shape",
  presets: [
    ["8B, 32 layers, 8 KV heads of 128", { layers: 32, kvHeads: 8, headDim: 128 }],
    ["The same without grouped queries, 32 KV heads", { layers: 32, kvHeads: 32, headDim: 128 }],
    ["Qwen2.5-7B, 28 layers, 4 KV heads of 128", { layers: 28, kvHeads: 4, headDim: 128 }],
    ["70B, 80 layers, 8 KV heads of 128", { layers: 80, kvHeads: 8, headDim: 128 }],
  ],
  controls: [
    { key: "layers", label: "Layers with a cache", value: 32, min: 1, max: 500, whole: true },
    { key: "kvHeads", label: "KV heads", value: 8, min: 1, max: 512, whole: true },
    { key: "headDim", label: "Head dimension", value: 128, min: 1, max: 1024, whole: true },
    { key: "k", label: "K stored as", value: "f16", options: FORMATS },
    { key: "v", label: "V stored as", value: "f16", options: FORMATS },
    { key: "tokens", label: "Tokens", value: 32768, min: 1, max: 1e8, whole: true },
    { key: "batch", label: "Sequences", value: 1, min: 1, max: 4096, whole: true },
    { key: "chip", label: "Chip", value: "M5 Max", options: [...table.keys()].map((name) => [name, name]) },
    { key: "roofs", label: "Bandwidth", value: "measured", options: [["measured", "measured, where someone has"], ["counted", "published"]] },
    { key: "memory", label: "Memory of the Mac, GB", value: 128, min: 8, max: 1024, whole: true },
  ],
  render(state, width) {
    const size = cache(state);
    const { gbs, gbsFrom } = roofs(table.get(state.chip), "alu", state.roofs);
    const [share, verdict] = fits(size, state.memory);
    const others = [["both in fp16", "f16", "f16"], ["both in 8.5 bits", "q8_0", "q8_0"], ["K 8.5, V 4.5 bits", "q8_0", "q4_0"], ["both in 4.5 bits", "q4_0", "q4_0"]].map(([name, k, v]) => [name, cache({ ...state, k, v })]);
    const rows = [["as chosen", size, "d-hot"], ...others.map(([name, value]) => [name, value, "d-a"])].map(([name, value, cls]) => [name, value, cls, `${round(value / 1e9)} GB`]);
    const ms = milliseconds(size, gbs);
    return {
      says: `${round(size / 1e9)} GB, ${count(perToken(state))} bytes per token. Reading it once takes at least ${round(ms)} ms on ${state.chip}, so attention alone allows at most ${round(1000 / ms)} steps per second.`,
      shows: [
        bars(width, "Size of the cache by format", rows.map(([name, , , text]) => `${name} ${text}`).join(", "), rows, Math.max(...rows.map(([, value]) => value))),
        facts([
          ["Bits per value", `K ${round(BITS[state.k])}, V ${round(BITS[state.v])}`, "scales included"],
          ["Bandwidth", `${round(gbs, 4)} GB/s`, gbsFrom],
          ["In memory", verdict, `${bytes(size)}, ${round(share * 100)}% of ${state.memory} GB, before weights. Recommended working sets were 66 to 84%.`],
          shipped(state.k, state.v) && ["As shipped", "no", shipped(state.k, state.v)],
        ]),
      ],
    };
  },
});
export const mount = (element) => place(element, spec(chips));
