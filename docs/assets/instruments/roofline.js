/* Roofline: a chip's two ceilings, and one kernel under them.
   Counted plateau: cores x 128 lanes x 2 x clock (docs/machine/chips.md). FP16 on the ALUs: 256 operations
   a core and cycle in either precision on M1 and M2 (philipturner/metal-benchmarks README.md L124-127), 1.70 times FP32
   on an M5 Max, each at its best (phosphor: 198.3 and 116.9 FMAs per core and cycle), unknown on M3 and M4. Matrix units: 1,024 operations per core and cycle, estimated from an A19
   (Zakharko); 58.2 TFLOPS measured on an M5 Max (MLX PR 3211). */
import { chips, quantity } from "./quantities.js";
import { cell, chart, count, draw, facts, fixed, label, mount as place, percent, round, wrong } from "./ui.js";

/** FLOP per byte at which the slope meets the plateau. */
export const ridge = (tflops, gbs) => (tflops * 1000) / gbs;
/** TFLOPS that the two roofs leave at an intensity. */
export const attainable = (intensity, tflops, gbs) => Math.min(tflops, (intensity * gbs) / 1000);
/** Bytes of a value: [activations and result, weights]. Quantized weights carry their scales. */
export const TYPES = { fp32: [4, 4], fp16: [2, 2], q8: [2, 8.5 / 8], q4: [2, 4.5 / 8] };
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
  if (path === "alu") [tflops, from] = [counted, counted === null ? "no GPU clock has been published" : "cores × 128 × 2 × clock"];
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
  ...[[32, 1.148], [8, 0.451], [4, 0.351], [1, 0.307]].map(([heads, ms]) => {
    const [flop, size] = decode(heads);
    return [`MLX decode attention, 32,768 keys, ${heads} KV head${heads > 1 ? "s" : ""}`, "M5 Max", "alu", flop, size, flop / ms / 1e9, "comment in MLX issue 3837"];
  }),
];

const plot = (width, roof, point, reached, said) => {
  const height = Math.round(Math.min(420, width * 0.72));
  const box = { left: 44, right: width - 12, top: 24, bottom: height - 44 };
  const low = Math.min(0.25, 2 ** Math.floor(Math.log2(point)));
  const high = Math.max(4096, 2 ** Math.ceil(Math.log2(point)));
  const best = attainable(point, roof.tflops, roof.gbs);
  const floor = Math.min(best, reached || best, attainable(low, roof.tflops, roof.gbs));
  const bottom = 10 ** Math.floor(Math.log10(floor));
  const top = 10 ** Math.ceil(Math.log10(Math.max(roof.tflops * 1.3, reached || 0)));
  const x = (value) => box.left + ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (box.right - box.left);
  const y = (value) => box.bottom - ((Math.log(value) - Math.log(bottom)) / (Math.log(top) - Math.log(bottom))) * (box.bottom - box.top);
  const meets = ridge(roof.tflops, roof.gbs);
  const parts = [];
  for (let tick = 10 ** Math.ceil(Math.log10(low)); tick <= high; tick *= 10) parts.push(draw("path", { class: "d-grid", d: `M${x(tick)} ${box.top}V${box.bottom}` }), label(x(tick), box.bottom + 18, round(tick), "d-s d-mid"));
  for (let tick = bottom; tick <= top * 1.001; tick *= 10) parts.push(draw("path", { class: "d-grid", d: `M${box.left} ${y(tick)}H${box.right}` }), label(box.left - 6, y(tick) + 4, round(tick), "d-s d-end"));
  const flip = x(point) > width * 0.6;
  const beside = flip ? -10 : 10;
  const cls = flip ? "d-s d-end" : "d-s";
  return chart(
    width, height, "Roofline", said, parts,
    label(4, 14, "TFLOPS"),
    label((box.left + box.right) / 2, height - 8, "FLOP per byte at DRAM", "d-s d-mid"),
    draw("path", { class: "d-line", d: `M${x(low)} ${y(attainable(low, roof.tflops, roof.gbs))}L${x(Math.min(meets, high))} ${y(attainable(Math.min(meets, high), roof.tflops, roof.gbs))}H${x(high)}` }),
    label(box.right, y(roof.tflops) - 8, `${round(roof.tflops)} TFLOPS`, "d-s d-end"),
    draw("path", { class: "d-dash", d: `M${x(meets)} ${y(roof.tflops)}V${box.bottom}` }),
    label(x(meets) + 5, box.bottom - 6, `ridge ${round(meets)}`),
    draw("circle", { class: "d-line", cx: x(point), cy: y(best), r: 6 }),
    reached ? draw("path", { class: "d-dash", d: `M${x(point)} ${y(best)}V${y(reached)}` }) : null,
    reached ? draw("circle", { class: "d-hot", cx: x(point), cy: y(reached), r: 6 }) : null,
    label(x(point) + beside, y(best) + (reached && Math.abs(y(best) - y(reached)) < 16 ? -10 : 18), `bound ${round(best)}`, cls),
    reached && label(x(point) + beside, y(reached) + (Math.abs(y(best) - y(reached)) < 16 ? 18 : 4), `reached ${round(reached)}`, cls),
  );
};

const PATHS = [["alu", "ALUs, FP32 multiply-adds"], ["alu16", "ALUs, FP16 multiply-adds"], ["matrix", "matrix units, FP16"]];
const spec = (table) => ({
  title: "Roofline of a chip",
  controls: [
    { key: "kernel", label: "Kernel", value: "product", wide: true, options: [["product", "A matrix product of your size"], ["numbers", "FLOP and bytes of your own"], ...CASES.map(([name], at) => [`c${at}`, name])], sets: Object.fromEntries(CASES.map(([, chip, path], at) => [`c${at}`, { kernel: `c${at}`, chip, path }])) },
    { key: "chip", label: "Chip", value: "M5 Max", options: [...table.keys()].map((name) => [name, name]) },
    { key: "path", label: "Path", value: "alu", options: PATHS },
    { key: "roofs", label: "Roofs", value: "measured", options: [["measured", "measured, where someone has"], ["counted", "published and counted"]] },
    { key: "m", label: "Rows of A (tokens)", value: 64, min: 1, max: 1e6, whole: true, when: (state) => state.kernel === "product" },
    { key: "n", label: "Columns of B", value: 4096, min: 1, max: 1e6, whole: true, when: (state) => state.kernel === "product" },
    { key: "k", label: "K", value: 4096, min: 1, max: 1e6, whole: true, when: (state) => state.kernel === "product" },
    { key: "type", label: "Values", value: "fp16", options: [["fp32", "fp32"], ["fp16", "fp16 or bf16"], ["q8", "fp16, weights 8-bit (8.5)"], ["q4", "fp16, weights 4-bit (4.5)"]], when: (state) => state.kernel === "product" },
    { key: "flop", label: "FLOP", value: 1e9, min: 1, max: 1e18, when: (state) => state.kernel === "numbers" },
    { key: "bytes", label: "Bytes at DRAM", value: 1e8, min: 1, max: 1e15, when: (state) => state.kernel === "numbers" },
    { key: "ms", label: "Your time, ms", value: 0, min: 0, max: 1e7, help: "0 if not measured", when: (state) => !state.kernel.startsWith("c") },
  ],
  render(state, width) {
    const row = table.get(state.chip);
    const roof = roofs(row, state.path, state.roofs);
    const study = state.kernel.startsWith("c") ? CASES[Number(state.kernel.slice(1))] : null;
    const { flop, bytes: size } = study ? { flop: study[3], bytes: study[4] } : state.kernel === "product" ? product(state) : { flop: state.flop, bytes: state.bytes };
    const point = flop / size;
    const here = study && study[1] === state.chip && study[2] === state.path;
    const reached = study ? (here ? study[5] : null) : state.ms > 0 ? flop / state.ms / 1e9 : null;
    if (state.path === "matrix" && !study && state.kernel === "product" && state.type === "fp32") throw wrong("Unknown: no measured rate of relaxed FP32 on the matrix units has been published. Full FP32 runs at the rate of the ALUs.");
    const known = [
      ["Work and traffic", `${round(flop / 1e9)} GFLOP, ${round(size / 1e6)} MB`, `${round(point)} FLOP per byte at DRAM`],
      ["Slope", `${round(roof.gbs, 4)} GB/s`, roof.gbsFrom],
    ];
    if (roof.tflops === null) {
      return {
        says: `The plateau of ${state.chip} on this path is unknown: ${roof.from}. The slope alone allows ${round((point * roof.gbs) / 1000)} TFLOPS at ${round(point)} FLOP per byte.`,
        shows: [facts([...known, ["Plateau", "unknown", roof.from]])],
      };
    }
    const meets = ridge(roof.tflops, roof.gbs);
    const best = attainable(point, roof.tflops, roof.gbs);
    const memory = point < meets;
    const time = flop / best / 1e9;
    const far = memory ? `${round(meets / point, 2)} times left of the ridge at ${round(meets)}` : `${round(point / meets, 2)} times right of the ridge at ${round(meets)}`;
    let says = `Bound by ${memory ? "memory" : "arithmetic"}: ${round(point)} FLOP per byte is ${far}. At most ${round(best)} TFLOPS, at least ${round(time)} ms.`;
    if (reached) says += ` Reached ${round(reached)}, ${percent(reached / best)} of the bound${reached > best * 1.02 ? ": above the roof, so the bytes were counted at another boundary or this roof is too low" : ""}.`;
    else if (study) says += ` Measured on ${study[1]} (${PATHS.find(([key]) => key === study[2])[1]}), so no distance is given here.`;
    return {
      says,
      shows: [
        plot(width, roof, point, reached, says),
        facts([
          ...known,
          ["Plateau", `${round(roof.tflops)} TFLOPS`, roof.from],
          roof.mixed && ["Ridge", round(meets), "one roof measured, the other counted or published: a rough figure"],
          study && ["Measurement", `${round(study[5])} TFLOPS on ${study[1]}`, study[6]],
          state.kernel === "product" && !study && memory && ["Rows at the ridge", rowsAt(state, meets), "from here on arithmetic is the bound"],
        ]),
      ],
    };
  },
});
/** The number of rows at which a product reaches an intensity, or the reason why it never does. */
export const rows = ({ n, k, type }, intensity) => {
  const [value, weight] = TYPES[type];
  // 2 m n k = intensity (value (m k + m n) + weight k n), solved for m.
  const rest = 2 * n * k - intensity * value * (k + n);
  return rest <= 0 ? null : Math.ceil((intensity * weight * k * n) / rest);
};
const rowsAt = (state, meets) => {
  const found = rows(state, meets);
  return found === null ? "never: n and k are too small" : fixed(found, 0);
};
export const mount = (element) => place(element, spec(chips));
