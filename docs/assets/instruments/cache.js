/* KV cache: 2 x layers x KV heads x head dimension x bits x tokens, and what reading it once per step costs.
   Bits with their scales. ggml blocks of 32: ggml-org/llama.cpp ggml/src/ggml-common.h L184-246 (q4_0 18 bytes, q4_1 20,
   q5_0 22, q5_1 24, q8_0 34). MLX affine, group 64, fp16 scale and bias: 32 bits for 64 values (mlx-lm 0.32.2,
   mlx_lm/models/cache.py). llama.cpp's Metal attention takes only equal types for K and V: ggml-metal-device.m L1165-1167. */
import { quantity } from "./quantities.js";

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

/** Tokens at which a cache reaches so many bytes. */
export const tokensAt = (shape, size) => size / (perToken(shape) * (shape.batch ?? 1));
