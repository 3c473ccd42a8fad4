/* Tile budget: what a GEMM tile asks of registers, threadgroup memory and every level of the memory hierarchy.
   Threadgroup bytes and padding: ml-explore/mlx mlx/backend/metal/kernels/steel/gemm/gemm.h L38-46.
   Fragments: steel/gemm/mma.h L32-40 and L464-466 (8 x 8, two elements a lane), steel/gemm/nax.h L27-36 and
   gemm_nax.h L60-64 (16 x 16, eight elements a lane, slabs of 32). */
import { CEILING, GROUP_MEMORY, SATURATION, largestThreadgroup, residency } from "./occupancy.js";
import { bars, chart, count, draw, facts, label, mount as place, round, some, table, wrong } from "./ui.js";
import { quantity } from "./quantities.js";

/** Bytes of a staged operand of rows x columns, `pad` bytes behind each row. 0 when it is not staged. */
export const staged = (rows, columns, size, pad) => (size ? rows * (columns + pad / size) * size : 0);

/**
 * All that follows from the tile. Sizes of a value in bytes: memoryA, memoryB in device memory, stageA, stageB in
 * threadgroup memory (0: not staged). fragment: 8, 16, or 0 for an opaque matmul2d; operand: bytes of an operand value in registers.
 * reserve: threadgroup bytes that the kernel allocates in any case, for the edges of C.
 */
export const budget = ({ bm, bn, bk, wm, wn, memoryA, memoryB, stageA, stageB, pad, buffers, reserve = 0, transposedB, fragment, operand }) => {
  const simdgroups = wm * wn;
  const threads = 32 * simdgroups;
  const rows = bm / wm;
  const columns = bn / wn;
  const tm = fragment ? rows / fragment : null;
  const tn = fragment ? columns / fragment : null;
  const whole = !fragment || (Number.isInteger(tm) && Number.isInteger(tn));
  const accumulators = (bm * bn) / threads;
  // One step of K in registers: one fragment deep for 8 x 8, two for 16 x 16.
  const values = fragment === 8 ? 2 : 16;
  const operands = fragment ? ((tm + tn) * values * operand) / 4 : null;
  const memoryOfA = staged(bm, bk, stageA, pad);
  const memoryOfB = transposedB ? staged(bn, bk, stageB, pad) : staged(bk, bn, stageB, pad);
  const memory = Math.max((memoryOfA + memoryOfB) * buffers, reserve);
  // FLOP for one value of K, over the bytes that cross each boundary for it.
  const tile = 2 * bm * bn;
  const block = 2 * rows * columns;
  // Without staging every simdgroup asks for its own rows and columns; how a shared matmul2d asks is not documented.
  const [askA, askB] = [stageA || !fragment ? 1 : wn, stageB || !fragment ? 1 : wm];
  const fromMemory = tile / (bm * memoryA * askA + bn * memoryB * askB);
  const merged = tile / (bm * memoryA + bn * memoryB);
  const fromTile = stageA || stageB ? block / (rows * stageA + columns * stageB) : null;
  return {
    simdgroups, threads, tm, tn, whole, accumulators, operands, registers: operands === null ? null : accumulators + operands, memory,
    fromMemory, merged, fromTile, loads: fragment ? (tm + tn) / (tm * tn) : null, multiplies: fragment ? tm * tn : null,
    // One buffer: published and released. More: one barrier does both. NAX stages nothing and still meets once for each BK (gemm_nax.h L54).
    barriers: stageA || stageB ? (buffers > 1 ? 1 : 2) : fragment === 16 ? 1 : 0,
  };
};

const base = { transposedB: false, buffers: 1, reserve: 0 };
export const KERNELS = [
  ["m5-gemm, fp32", { bm: 64, bn: 64, bk: 16, wm: 2, wn: 2, memoryA: "4", memoryB: "4", stageA: "4", stageB: "4", pad: 0, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base }],
  ["m5-gemm, the 8 × 8 grid that spilled", { bm: 128, bn: 128, bk: 16, wm: 2, wn: 2, memoryA: "4", memoryB: "4", stageA: "4", stageB: "4", pad: 0, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base }],
  ["steel fp16, medium device", { bm: 64, bn: 64, bk: 16, wm: 2, wn: 2, memoryA: "2", memoryB: "2", stageA: "2", stageB: "2", pad: 16, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base }],
  ["steel fp16, small device, nn", { bm: 64, bn: 64, bk: 16, wm: 1, wn: 2, memoryA: "2", memoryB: "2", stageA: "2", stageB: "2", pad: 16, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base }],
  ["steel fp32, nt, its largest footprint", { bm: 64, bn: 32, bk: 32, wm: 2, wn: 2, memoryA: "4", memoryB: "4", stageA: "4", stageB: "4", pad: 16, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base, transposedB: true }],
  ["llama.cpp, f16 weights", { bm: 64, bn: 32, bk: 32, wm: 2, wn: 2, memoryA: "2", memoryB: "4", stageA: "2", stageB: "2", pad: 0, fragment: "8", operand: "2", rate: quantity("m5-gemm.fp32"), ...base }],
  ["llama.cpp, tensor API", { bm: 64, bn: 128, bk: 32, wm: 2, wn: 2, memoryA: "2", memoryB: "4", stageA: "2", stageB: "0", pad: 0, fragment: "0", operand: "2", rate: quantity("mlx.nax"), ...base }],
  ["metal-flash-attention fp32, M1 and M2", { bm: 48, bn: 48, bk: 24, wm: 2, wn: 2, memoryA: "4", memoryB: "4", stageA: "4", stageB: "4", pad: 0, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base }],
  // Allocates max(A + B, C) = max(2,048, 4,096) bytes and uses them at edges only: GEMMKernel.swift L264-269.
  ["metal-flash-attention fp32, M3 and later", { bm: 32, bn: 32, bk: 8, wm: 1, wn: 1, memoryA: "4", memoryB: "4", stageA: "0", stageB: "0", pad: 0, fragment: "8", operand: "4", rate: quantity("m5-gemm.fp32"), ...base, reserve: 4096 }],
  ["MLX NAX fp16, M5 class s", { bm: 64, bn: 128, bk: 256, wm: 2, wn: 4, memoryA: "2", memoryB: "2", stageA: "0", stageB: "0", pad: 0, fragment: "16", operand: "2", rate: quantity("mlx.nax"), ...base }],
];
/** Read the strings of the form's selects as numbers. */
export const numbers = (values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? Number(value) : value]));

/** Bandwidth of threadgroup memory at unit stride, 4-byte loads, M5 Max, all cores: phosphor, soc_bench results. Wider loads move more. */
const MEASURED_TB = quantity("m5-max.threadgroup.bandwidth");

const registerBar = (width, made) => {
  const left = 8;
  const most = Math.max(160, Math.ceil((made.registers ?? made.accumulators) / 32) * 32);
  const x = (value) => left + (value / most) * (width - 2 * left);
  const narrow = width < 520;
  const marks = [[64, "64: Modular's limit for accumulators", "64 Modular"], [quantity("m5-max.registers.live"), `${quantity("m5-max.registers.live")}: last without spilling, M5 Max`, `${quantity("m5-max.registers.live")} without spilling`], [CEILING, "128: the ceiling", "128 the ceiling"]];
  return chart(
    width, 128, "Registers per lane",
    `${round(made.accumulators)} accumulators${made.operands === null ? ", operands unknown" : ` and ${round(made.operands)} for operands, ${round(made.registers)} together`}, against a ceiling of 128.`,
    draw("rect", { class: "d-soft", x: x(0), y: 20, width: x(most) - x(0), height: 28 }),
    draw("rect", { class: made.accumulators > CEILING ? "d-hot" : "d-a", x: x(0), y: 20, width: x(made.accumulators) - x(0), height: 28 }),
    made.operands && draw("rect", { class: made.registers > CEILING ? "d-hot" : "d-c", x: x(made.accumulators), y: 20, width: x(made.registers) - x(made.accumulators), height: 28 }),
    marks.map(([value, text, short], at) => [
      draw("path", { class: value === CEILING ? "d-line" : "d-dash", d: `M${x(value)} 14V${64 + at * 18}` }),
      label(x(value) - 6, 72 + at * 18, narrow ? short : text, "d-s d-end"),
    ]),
    label(x(0), 12, made.operands === null ? `${round(made.accumulators)} accumulators` : `${round(made.accumulators)} accumulators, ${round(made.operands)} operands`),
  );
};

const spec = {
  title: "Tile budget",
  presetLabel: "Kernel",
  presets: KERNELS,
  controls: [
    { key: "bm", label: "BM", value: 64, min: 8, max: 256, whole: true, group: "Tile" },
    { key: "bn", label: "BN", value: 64, min: 8, max: 256, whole: true, group: "Tile" },
    { key: "bk", label: "BK", value: 16, min: 8, max: 512, whole: true, group: "Tile" },
    { key: "wm", label: "Simdgroups along M", value: 2, min: 1, max: 8, whole: true, group: "Tile" },
    { key: "wn", label: "Simdgroups along N", value: 2, min: 1, max: 8, whole: true, group: "Tile" },
    { key: "memoryA", label: "A in memory", value: "4", options: [["4", "fp32"], ["2", "fp16, bf16"]], group: "Operands" },
    { key: "memoryB", label: "B in memory", value: "4", options: [["4", "fp32"], ["2", "fp16, bf16"]], group: "Operands" },
    { key: "stageA", label: "A staged as", value: "4", options: [["4", "fp32"], ["2", "fp16, bf16"], ["0", "not staged"]], group: "Operands" },
    { key: "stageB", label: "B staged as", value: "4", options: [["4", "fp32"], ["2", "fp16, bf16"], ["0", "not staged"]], group: "Operands" },
    { key: "pad", label: "Bytes behind each staged row", value: 0, min: 0, max: 64, step: 4, group: "Operands" },
    { key: "buffers", label: "Staging tiles", value: 1, min: 1, max: 4, whole: true, group: "Operands" },
    { key: "reserve", label: "Threadgroup bytes kept for edges", value: 0, min: 0, max: 32768, whole: true, group: "Operands" },
    { key: "transposedB", label: "B is stored as N × K", value: false, check: true, group: "Operands" },
    { key: "fragment", label: "Fragment", value: "8", options: [["8", "8 × 8, simdgroup_matrix"], ["16", "16 × 16, NAX"], ["0", "matmul2d of several simdgroups"]], group: "Registers" },
    { key: "operand", label: "Operands in registers", value: "4", options: [["4", "fp32"], ["2", "fp16, bf16"]], group: "Registers" },
    { key: "rate", label: "At a rate of, TFLOPS", value: 13.5, min: 0.1, max: 200, step: 0.1, group: "Registers" },
  ],
  render(state, width) {
    const made = budget(numbers(state));
    if (!made.whole) throw wrong(`A ${state.bm} × ${state.bn} tile does not divide into ${state.fragment} × ${state.fragment} fragments over ${state.wm} × ${state.wn} simdgroups. MLX divides and drops the rest, which leaves holes.`);
    const over = [];
    if (made.threads > 1024) over.push(`${count(made.threads)} threads exceed 1,024`);
    if (made.memory > GROUP_MEMORY) over.push(`${count(made.memory)} bytes exceed the ${count(GROUP_MEMORY)} of a threadgroup`);
    if ((made.registers ?? made.accumulators) > CEILING) over.push(`${round(made.registers ?? made.accumulators)} registers exceed the ceiling of ${CEILING}, so it spills`);
    const needs = Math.max(made.registers ?? made.accumulators, 1);
    const fits = over.length ? null : residency({ registers: needs, memory: made.memory, threads: made.threads });
    const perSecond = made.fromTile && state.rate / made.fromTile;
    const says = over.length
      ? `Does not work as counted: ${over.join("; ")}.`
      : `${made.registers === null ? `${round(made.accumulators)} accumulators per lane (operands unknown)` : `${round(made.registers)} of 128 registers per lane`}, ${made.memory ? `${count(made.memory)} bytes of threadgroup memory` : "no threadgroup memory"}, ${round(made.fromMemory)} FLOP per byte from memory.${perSecond > MEASURED_TB ? ` At ${state.rate} TFLOPS it asks threadgroup memory for ${round(perSecond, 2)} TB/s, more than the ${MEASURED_TB} read on an M5 Max with 4-byte loads.` : ""}`;
    return {
      says,
      shows: [
        registerBar(width, made),
        bars(
          width, "FLOP per byte at each level", "The lower the value, the more bandwidth that level must deliver.",
          [
            ["requested from memory", made.fromMemory, "d-a"],
            made.merged > made.fromMemory * 1.001 && ["if caches merge", made.merged, "d-box"],
            made.fromTile && ["from threadgroup memory", made.fromTile, perSecond > MEASURED_TB ? "d-hot" : "d-c"],
          ].filter(Boolean).map(([name, value, cls]) => [name, value, cls, round(value, value < 10 ? 2 : 3)]),
          Math.max(made.merged, made.fromMemory),
        ),
        table("The budget", ["What", "This tile", "Limit"], [
          ["Threads", count(made.threads), "1,024"],
          ["Accumulators per lane", round(made.accumulators), "128, with everything else"],
          ["Operands per lane", made.operands === null ? "unknown" : round(made.operands), ""],
          ["Threadgroup memory", `${count(made.memory)} B`, "32,768 B"],
          made.loads && ["Fragment loads per multiply", round(made.loads, 2), ""],
          perSecond && [`Threadgroup TB/s at ${state.rate} TFLOPS`, round(perSecond, 2), `${MEASURED_TB} by 4-byte loads, M5 Max`],
          ["Memory GB/s at that rate", count((state.rate / made.fromMemory) * 1000), "caches included"],
          ["Barriers per K step", String(made.barriers), ""],
          ["Largest threadgroup, M1 and M2", largestThreadgroup(needs) ? `${count(largestThreadgroup(needs))} threads` : "none", `at ${round(needs)} registers`],
        ].filter(Boolean), { numbers: false }),
        facts([
          fits && ["Resident on M1 and M2", `${some(fits.groups, "threadgroup")}, ${some(fits.simdgroups, "simdgroup")}`, `limited by ${fits.limits.join(" and ")}; the ALUs saturate at ${SATURATION}. Addresses and counters come on top of ${round(needs)} registers.`],
          ["Spilling", made.registers === null ? "unknown" : made.registers > CEILING ? "certain" : made.registers > 120 ? "likely" : "not expected", "M5 Max: 120 live values kept their speed, 128 fell to a quarter; m5-gemm with an 8 × 8 grid ran ten times slower"],
          ["Resident from M3 on", "unknown", "registers and threadgroup memory are allocated as the kernel runs"],
        ]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
