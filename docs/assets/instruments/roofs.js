/* A chip's two ceilings, and what a kernel asks of them.
   Counted plateau: cores x 128 lanes x 2 x clock (docs/machine/chips.md). FP16 on the ALUs: 256 operations
   a core and cycle in either precision on M1 and M2 (philipturner/metal-benchmarks README.md L124-127), 1.70 times FP32
   on an M5 Max, each at its best (phosphor: 198.3 and 116.9 FMAs per core and cycle), unknown on M3 and M4. Matrix
   units: 1,024 operations per core and cycle, estimated from an A19 (Zakharko); 58.2 TFLOPS measured on an M5 Max (MLX
   PR 3211). */
import { BITS } from "./cache.js";
import { quantity } from "./quantities.js";
import { cell, count, fixed } from "./ui.js";

/** FLOP per byte at which the slope meets the plateau. */
export const ridge = (tflops, gbs) => (tflops * 1000) / gbs;
/** TFLOPS that the two roofs leave at an intensity. */
export const attainable = (intensity, tflops, gbs) => Math.min(tflops, (intensity * gbs) / 1000);
/** Bytes of a value: [activations and result, weights]. Quantized weights carry their scales. */
export const TYPES = { fp32: [4, 4], fp16: [2, 2], q8: [2, BITS.q8_0 / 8], q4: [2, BITS.q4_0 / 8] };
/** Work and traffic of C = A x B, each matrix crossing the boundary once. */
export const product = ({ m, n, k, type }) => {
  const [value, weight] = TYPES[type];
  return { flop: 2 * m * n * k, bytes: value * (m * k + m * n) + weight * k * n };
};

/** FP16 over FP32 on the lanes of an M5, and FP16 operations per core and cycle of its matrix unit. */
const RATIO_FP16 = quantity("m5-max.fp16-ratio");
const MATRIX = quantity("a19.matrix");
/** Published measurements of the roofs themselves: [value, whose]. */
export const MEASURED = {
  M4: { gbs: [quantity("m4.read"), "read, int4-gemv"], alu: [quantity("m4.fp32.reached"), "Hübner et al."] },
  M5: { gbs: [quantity("m5.read"), "STREAM kernels, Michael's Tinkerings"], alu: [quantity("m5.fp32.chains"), "eight FMA chains, Michael's Tinkerings"] },
  "M1 Ultra": { gbs: [quantity("m1-ultra.read"), "one reduction, MLX issue 3837"] },
  "M2 Ultra": { alu: [quantity("m2-ultra.fp32.reached"), "fp32 GEMM, MLX PR 1518"] },
  "M5 Max": { gbs: [quantity("m5-max.copy"), "copy, m5-gemm"], alu: [quantity("m5-gemm.fp32"), "fp32 GEMM, m5-gemm"], matrix: [quantity("mlx.nax"), "fp16 GEMM, MLX PR 3211"] },
};
/** Both roofs of a chip on a path: {gbs, tflops, ...} with a word on each; a roof without a source is null. */
export const roofs = (row, path, use) => {
  const chip = row.chip;
  const generation = Number((cell(row, "family") || "").replace("Apple", ""));
  const counted = cell(row, "tflops_fp32");
  const measured = use === "measured" ? MEASURED[chip] || {} : {};
  let tflops = null;
  let from;
  if (path === "alu") [tflops, from] = [counted, counted === null ? "no GPU clock has been published" : `cores × ${quantity("core.lanes")} × 2 × clock`];
  else if (path === "alu16") {
    if (generation <= 8) [tflops, from] = [counted, `as FP32: ${count(quantity("core.flop"))} operations per core and cycle in both`];
    else if (generation === 9) from = "the FP16 rate of M3 and M4 alone has not been published";
    else [tflops, from] = [counted && counted * RATIO_FP16, counted === null ? "no GPU clock has been published" : `${fixed(RATIO_FP16, 2)} × FP32, each at its best on one M5 Max`];
  } else if (generation < 10) from = "no faster matrix unit is known before M5";
  else {
    const clock = cell(row, "clock_mhz");
    [tflops, from] = clock === null ? [null, "no GPU clock has been published"] : [(cell(row, "cores") * MATRIX * clock) / 1e6, `${count(MATRIX)} operations per core and cycle, estimated from an A19`];
  }
  if (measured[path]) [tflops, from] = [measured[path][0], `measured: ${measured[path][1]}`];
  const gbs = measured.gbs ? measured.gbs[0] : cell(row, "bandwidth_gbs");
  // A ridge over one measured and one counted roof compares unlike things; the reader is told.
  const mixed = tflops !== null && Boolean(measured[path]) !== Boolean(measured.gbs);
  return { tflops, from, gbs, gbsFrom: measured.gbs ? `measured: ${measured.gbs[1]}` : "published", mixed };
};

/** Case studies: [name, chip, path, FLOP, bytes at DRAM, TFLOPS reached, whose]. */
const cube = (n, value, transfers) => [2 * n ** 3, transfers * n * n * value];
const decode = (heads) => [4 * 32 * 32768 * 128, 2 * heads * 32768 * 128 * 2];
export const CASES = [
  ...[[1024, quantity("m5-gemm.fp32.1024")], [2048, quantity("m5-gemm.fp32.2048")], [4096, quantity("m5-gemm.fp32")], [8192, quantity("m5-gemm.fp32.8192")]].map(([n, reached]) => [`m5-gemm fp32, ${count(n)}³, one buffer`, "M5 Max", "alu", ...cube(n, 4, 4), reached, "m5-gemm README"]),
  ...[[1024, quantity("m5-gemm.double.1024")], [4096, quantity("m5-gemm.double")]].map(([n, reached]) => [`m5-gemm fp32, ${count(n)}³, two buffers`, "M5 Max", "alu", ...cube(n, 4, 4), reached, "m5-gemm README"]),
  // The harness gives MPS a random beta (m5-gemm matmul.py L92-93, mps_matmul.py L41-50), so C is read too.
  ["MPS fp32, 4,096³", "M5 Max", "alu", ...cube(4096, 4, 4), quantity("m5-max.mps"), "m5-gemm README"],
  ["MLX steel fp32, 4,096³", "M2 Ultra", "alu", ...cube(4096, 4, 3), quantity("m2-ultra.fp32.reached"), "MLX PR 1518"],
  ["MLX NAX fp16, 4,096³", "M5 Max", "matrix", ...cube(4096, 2, 3), quantity("mlx.nax"), "MLX PR 3211"],
  ...[[32, quantity("m5-max.decode-attention.32")], [8, quantity("m5-max.decode-attention.8")], [4, quantity("m5-max.decode-attention.4")], [1, quantity("m5-max.decode-attention.1")]].map(([heads, ms]) => {
    const [flop, size] = decode(heads);
    return [`MLX decode attention, 32,768 keys, ${heads} KV head${heads > 1 ? "s" : ""}`, "M5 Max", "alu", flop, size, flop / ms / 1e9, "comment in MLX issue 3837"];
  }),
];

/** The number of rows at which a product reaches an intensity, or the reason why it never does. */
export const rows = ({ n, k, type }, intensity) => {
  const [value, weight] = TYPES[type];
  // 2 m n k = intensity (value (m k + m n) + weight k n), solved for m.
  const rest = 2 * n * k - intensity * value * (k + n);
  return rest <= 0 ? null : Math.ceil((intensity * weight * k * n) / rest);
};
