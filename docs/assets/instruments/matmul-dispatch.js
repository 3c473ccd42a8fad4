/* Which kernel mx.matmul runs, by the rules of ml-explore/mlx at 3a62199 (v0.32.1).
   Every test names its lines in mlx/backend/metal/matmul.cpp; the two others are device.cpp L947-966 (is_nax_available)
   and utils.h L160-170 (next_power_of_2). One batch dimension, operands that start at the beginning of their buffer. */
import { count, facts, link, make, mount as place, some } from "./ui.js";

const HOME = "https://github.com/ml-explore/mlx/blob/3a6219917e4535575ce5bce2fc2ba27a483a709b/mlx/backend/metal/";
const FILE = "matmul.cpp";
const ceil = (a, b) => Math.ceil(a / b);
/** matmul.cpp L90-171: the tile of the classic kernel. */
export const tile = ({ letter, type, M, N, K, batch, nt }) => {
  const float = type === "float32";
  const of = (bm, bn, bk, wm, wn, lines) => ({ bm, bn, bk, wm, wn, lines });
  if (letter === "g" || letter === "p") {
    if (type === "complex64") return of(64, 32, 8, 4, 1, "L91-97");
    if (nt) return of(64, 32, 32, 2, 2, "L98-103");
    if (!float) return of(64, 64, 16, 1, 2, "L104-110");
    return of(64, 64, 16, 2, 2, "L371-372");
  }
  if (letter === "d") {
    if (batch * M * N >= 2 ** 20) {
      if (float) return of(64, 64, 16, 2, 2, "L134, L371-372");
      if (2 * Math.max(M, N) > K) return of(64, 64, 16, 1, 2, "L114-119");
      if (nt) return of(64, 32, 32, 2, 2, "L120-125");
      return of(32, 64, 16, 1, 2, "L126-133");
    }
    if (!float) return nt ? of(64, 32, 32, 2, 2, "L137-142") : of(64, 64, 16, 1, 2, "L142-148");
    return nt ? of(32, 64, 16, 1, 2, "L150-155") : of(64, 32, 32, 2, 2, "L156-162");
  }
  return of(64, 64, 16, 2, 2, "L165-171");
};
/** utils.h L160-170, where 0 stays 0. */
export const nextPowerOf2 = (n) => (n > 0 ? 2 ** Math.ceil(Math.log2(n)) : 0);

/**
 * Walk the tests. `a` and `b`: "n" row-major, "t" a transposed view, "s" strided so that it is copied first.
 * Returns the path [{test, holds, lines, file}] and the kernels that are dispatched, in order.
 */
export const route = ({ letter, generation, nax, tf32, type, M, N, K, batch, shared, a, b }) => {
  const path = [];
  const kernels = [];
  const ask = (test, holds, lines, file = FILE) => {
    path.push({ test, holds: Boolean(holds), lines, file });
    return Boolean(holds);
  };
  for (const [name, layout] of [["A", a], ["B", b]]) {
    if (ask(`${name}: neither of the last two strides is 1`, layout === "s", "L27-43")) kernels.push({ name: "copy", why: `${name} is copied to row-major first` });
  }
  const ta = a === "t" ? "t" : "n";
  const tb = b === "t" ? "t" : "n";
  if (ask("a batch, A contiguous and not transposed, one B for all: fold the batch into M", batch > 1 && ta === "n" && shared, "L1492-1502")) [M, batch] = [M * batch, 1];
  const finish = (kind, extra) => ({ path, kernels, kind, M, N, K, batch, ...extra });
  const dispatch = (name, grid, group, why = "", more = {}) => kernels.push({ name, grid, group, threads: group[0] * group[1] * group[2], why, ...more });

  if (ask("M = N = 1, no batch, both contiguous, not complex", M === 1 && N === 1 && batch === 1 && a !== "s" && b !== "s" && type !== "complex64", "L1507-1517")) {
    const blocks = ceil(ceil(K, 32), 512);
    dispatch(`dot_product_${type}_it32_tg512_sg16`, [blocks, 1, 1], [512, 1, 1], "partial sums, then a reduction and a cast");
    return finish("dot_product");
  }
  const half = type === "float16" || type === "bfloat16";
  const passes = ceil(M, 5);
  const wide = ta === "n" && tb === "t" && generation >= 15 && M > 1 && N > 1 && K % 4 === 0 && half && passes <= 3;
  if (ask(`x @ w.T with 2 to 15 rows, half or bfloat, K a multiple of 4, generation 15 or later`, wide, "L1299-1354")) {
    const lanes = passes === 1 || N <= 64 ? 32 : 16;
    dispatch(`gemv_wide_${type}_nv${ceil(M, passes)}_kl${lanes}`, [N >= 65536 ? 1 : passes, ceil(N, 4), batch], [32, lanes / 8, 1], `${some(passes, "pass", "passes")} over the weights`);
    return finish("gemv_wide");
  }
  if (ask("M = 1 or N = 1", Math.min(M, N) === 1, "L1545-1564")) {
    const ofB = N !== 1;
    const transposed = ofB ? tb === "n" : ta === "t";
    const out = ofB ? N : M;
    let [bm, bn, sm, sn, tm, tn] = [1, 1, 1, 32, 4, 4];
    let each;
    if (transposed) {
      [sm, sn] = K >= 8192 && out >= 2048 ? [4, 8] : [8, 4];
      bn = out >= 2048 ? 16 : out >= 512 ? 4 : 2;
      tn = out < tn ? 1 : tn;
      each = bn * sn * tn;
    } else {
      bm = out >= 4096 ? 8 : 4;
      if (K <= 64) [bm, sm, sn] = [1, 8, 4];
      else if (K >= 16 * out) [bm, bn] = [1, 8];
      tm = out < tm ? 1 : tm;
      each = bm * sm * tm;
    }
    dispatch(`gemv_${transposed ? "t_" : ""}${type}_bm${bm}_bn${bn}_sm${sm}_sn${sn}_tm${tm}_tn${tn}_nc0_axpby0`, [ceil(out, each), 1, batch], [32, bn, bm], "", { lines: "L1141-1182" });
    return finish("gemv");
  }

  const useNax = ask(
    "matrix units: macOS 26.2, a library with NAX kernels, generation 17 or later (18 on a phone)",
    nax && generation >= (letter === "p" ? 18 : 17), "L947-966", "device.cpp",
  ) && ask("not complex, and not fp32 unless TF32 is allowed", type !== "complex64" && (tf32 || type !== "float32"), "L917-919");
  const [t16m, t16n, t16k] = [ceil(M, 16), ceil(N, 16), Math.floor(K / 16)];
  const most = letter === "s" || letter === "d" ? 2048 : 1024;
  const longest = Math.max(M, N);
  const partial = type === "complex64" ? "complex64" : "float32";
  const accumulate = () => kernels.push({ name: `steel_gemm_splitk_accum_${type}_${partial}`, why: "adds the partial results" });
  const large = letter === "s" || letter === "c" || letter === "d";
  if (!useNax) {
    if (ask(`no batch, at most ${count(most)} output blocks of 16 × 16 (here ${count(t16m * t16n)}), K at least 128 and at least max(M, N): split K`, batch === 1 && t16m * t16n <= most && t16k >= 8 && K >= longest, "L920-926")) {
      const bm = M < 40 ? 16 : 32;
      const bn = N < 40 ? 16 : 32;
      const parts = Math.min(Math.max(2, nextPowerOf2(Math.floor(t16k / (ceil(M, 32) * ceil(N, 32))))), 32);
      const aligned = (value) => (value ? "t" : "n");
      dispatch(
        `steel_gemm_splitk_${ta}${tb}_${type}_${partial}_bm${bm}_bn${bn}_bk16_wm2_wn2_MN_${aligned(M % bm === 0 && N % bn === 0)}aligned_K_${aligned(K % 16 === 0)}aligned`,
        [ceil(N, bn), ceil(M, bm), parts], [32, 2, 2], `${parts} parts of K`, { lines: "L523-560" },
      );
      accumulate();
      return finish("split-K");
    }
  } else if (ask("no batch, K at least 3 × max(M, N), or more than twice it below 1,025: split K on the matrix units", batch === 1 && (K >= 3 * longest || (longest <= 1024 && K > 2 * longest)), "L947-950")) {
    let [bm, bn, bk, wm, wn] = [128, 128, 512, 4, 4];
    // Integer halves, as in the source.
    if (Math.floor((M + N) / 2) < 512 || K <= 4096) [bm, bn, bk, wm, wn] = [64, 64, 256, 2, 2];
    const size = K <= 1024 ? Math.floor(K / 2) : K <= 2048 ? 1024 : K <= 4096 ? 2048 : 4096;
    const parts = ceil(K, size);
    const fold = ceil(M, bm) <= 3 ? 1 : 2;
    dispatch(`steel_gemm_splitk_nax_${ta}${tb}_${type}_float32_bm${bm}_bn${bn}_bk${bk}_wm${wm}_wn${wn}`, [ceil(N, bn) * fold * ceil(ceil(M, bm), fold) * parts, 1, 1], [32, wn, wm], `${parts} parts of K`, { lines: "L680-790" });
    accumulate();
    return finish("NAX split-K");
  }
  const t = (value) => (value ? "t" : "n");
  const constants = ({ bm, bn, bk }) => `_has_batch_n_use_out_source_n_do_axpby_n_align_M_${t(M % bm === 0)}_align_N_${t(N % bn === 0)}_align_K_${t(K % bk === 0)}`;
  if (useNax) {
    let [bm, bn, bk, wm, wn] = [128, 128, 512, 4, 4];
    if (large) [bm, bk, wm] = [64, K >= 8192 && K > M + N ? 64 : 256, 2];
    const rows = ceil(M, bm);
    const fold = large ? 4 : rows <= 3 ? 1 : 2;
    dispatch(`steel_gemm_fused_nax_${ta}${tb}_${type}_${type}_bm${bm}_bn${bn}_bk${bk}_wm${wm}_wn${wn}`, [ceil(N, bn) * fold, ceil(rows, fold), batch], [32, wn, wm], "", { lines: "L205-302", constants: constants({ bm, bn, bk }) });
    return finish("NAX");
  }
  const made = tile({ letter, type, M, N, K, batch, nt: ta === "n" && tb === "t" });
  dispatch(`steel_gemm_fused_${ta}${tb}_${type}_${type}_bm${made.bm}_bn${made.bn}_bk${made.bk}_wm${made.wm}_wn${made.wn}`, [ceil(N, made.bn), ceil(M, made.bm), batch], [32, made.wn, made.wm], "", { lines: made.lines, constants: constants(made) });
  return finish("steel");
};

/** Generation and letter. Letters seen in reports; the others follow the class (mlx/mlx-overview.md). */
export const CHIPS = [
  ["13g", "M1"], ["13s", "M1 Pro, M1 Max"], ["13d", "M1 Ultra"], ["14g", "M2"], ["14s", "M2 Pro, M2 Max"], ["14d", "M2 Ultra"],
  ["15g", "M3"], ["15s", "M3 Pro, M3 Max"], ["15d", "M3 Ultra"], ["16g", "M4"], ["16s", "M4 Pro, M4 Max"], ["17g", "M5"], ["17s", "M5 Pro, M5 Max"], ["17d", "M5 Ultra"],
];
const LAYOUTS = { a: [["n", "row-major"], ["t", "transposed view"], ["s", "strided both ways"]], b: [["t", "w.T of a row-major w"], ["n", "row-major"], ["s", "strided both ways"]] };
const shown = (type) => ({ float16: "half", bfloat16: "bfloat", float32: "float", complex64: "complex" })[type];
const lines = (file, text) => {
  const [first] = text.split(",");
  return link(`${HOME}${file}#${first.replace(/-(\d)/, "-L$1")}`, `${file} ${text}`);
};

const spec = {
  title: "The route of one mx.matmul, MLX 0.32.1",
  presetLabel: "Product",
  presets: [
    ["4,096³, half, x @ w.T, M4 Pro or Max", { chip: "16s", type: "float16", M: 4096, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["The same on an M5", { chip: "17g", type: "float16", M: 4096, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["One token, half, M4", { chip: "16g", type: "float16", M: 1, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["Eight rows, half, M5: not on the matrix units", { chip: "17g", type: "float16", M: 8, N: 4096, K: 4096, batch: 1, a: "n", b: "t" }],
    ["128 × 128 × 16,384, half, M4 Max", { chip: "16s", type: "float16", M: 128, N: 128, K: 16384, batch: 1, a: "n", b: "n" }],
    ["float, nn, 512³, M3 Ultra", { chip: "15d", type: "float32", M: 512, N: 512, K: 512, batch: 1, a: "n", b: "n" }],
  ],
  controls: [
    { key: "chip", label: "Chip", value: "16s", options: CHIPS.map(([key, name]) => [key, `${name} (g${key})`]) },
    { key: "type", label: "Type", value: "float16", options: ["float16", "bfloat16", "float32", "complex64"].map((type) => [type, type]) },
    { key: "M", label: "M", value: 4096, min: 1, max: 1e6, whole: true },
    { key: "N", label: "N", value: 4096, min: 1, max: 1e6, whole: true },
    { key: "K", label: "K", value: 4096, min: 1, max: 1e6, whole: true },
    { key: "batch", label: "Batch", value: 1, min: 1, max: 65535, whole: true },
    { key: "a", label: "A is", value: "n", options: LAYOUTS.a },
    { key: "b", label: "B is", value: "t", options: LAYOUTS.b },
    { key: "shared", label: "One B for the whole batch", value: true, check: true, when: (state) => state.batch > 1 },
    { key: "nax", label: "macOS 26.2 and a library with NAX", value: true, check: true, when: (state) => state.chip.startsWith("17") },
    { key: "tf32", label: "TF32 allowed (default)", value: true, check: true, when: (state) => state.chip.startsWith("17") && state.type === "float32" },
  ],
  render(state) {
    const made = route({ ...state, generation: Number(state.chip.slice(0, 2)), letter: state.chip.at(-1) });
    const main = made.kernels.find((kernel) => kernel.grid);
    const total = main.grid[0] * main.grid[1] * main.grid[2];
    const path = made.path;
    const last = path.findLastIndex((step) => step.holds);
    return {
      says: `${made.kind}: ${main.name}, ${some(total, "threadgroup")} of ${count(main.threads)} threads${made.kernels.length > 1 ? `, ${made.kernels.length} dispatches${made.kind === "dot_product" ? " or more" : ""}` : ""}.`,
      shows: [
        make("ol", { class: "mw-i-path", "aria-label": "Tests in order" }, path.map((step, at) => make("li", { class: at === last ? "mw-i-mark" : step.holds ? "" : "mw-i-idle" }, make("b", {}, step.holds ? "yes" : "no"), make("span", {}, `${step.test}. `, lines(step.file, step.lines)))),
          made.kind === "steel" || made.kind === "NAX" ? make("li", {}, make("b", {}, "then"), make("span", {}, `the ${made.kind === "NAX" ? "NAX" : "classic"} kernel, tile from `, lines(FILE, main.lines))) : null),
        make("div", {}, made.kernels.map((kernel) => make("p", { class: "mw-i-name" }, make("strong", {}, kernel.name), kernel.constants || "", kernel.grid ? ` grid (${kernel.grid.map(count).join(", ")}), group (${kernel.group.join(", ")})` : "", kernel.why ? `: ${kernel.why}` : ""))),
        facts([
          ["As seen by the tests", `M ${count(made.M)}, N ${count(made.N)}, K ${count(made.K)}, batch ${count(made.batch)}`, `${shown(state.type)}, ${state.a === "t" ? "t" : "n"}${state.b === "t" ? "t" : "n"}`],
          main.grid && total < 40 && ["Few threadgroups", count(total), "most cores of a large chip have none"],
        ]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
