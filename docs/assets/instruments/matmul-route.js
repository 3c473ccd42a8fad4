/* Which kernel mx.matmul runs, by the rules of ml-explore/mlx at 3a62199 (v0.32.1).
   Every test names its lines in mlx/backend/metal/matmul.cpp; the two others are device.cpp L947-966 (is_nax_available)
   and utils.h L160-170 (next_power_of_2). One batch dimension, operands that start at the beginning of their buffer. */
import { count, some } from "./ui.js";

export const FILE = "matmul.cpp";
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

  if (ask("M = N = 1, no batch, both contiguous (a copy is), not complex", M === 1 && N === 1 && batch === 1 && type !== "complex64", "L1507-1517")) {
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
