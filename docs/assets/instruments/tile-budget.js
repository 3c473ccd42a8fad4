/* Tile budget: what a GEMM tile asks of registers, threadgroup memory and every level of the memory hierarchy.
   Threadgroup bytes and padding: ml-explore/mlx mlx/backend/metal/kernels/steel/gemm/gemm.h L38-46.
   Fragments: steel/gemm/mma.h L32-40 and L464-466 (8 x 8, two elements per lane), steel/gemm/nax.h L27-36 and
   gemm_nax.h L60-64 (16 x 16, eight elements per lane, slabs of 32). */
import { CEILING, GROUP_MEMORY, SATURATION, largestThreadgroup, residency } from "./residency.js";
import { grip } from "./hand.js";
import { mount as place } from "./instrument.js";
import { quantity } from "./quantities.js";
import { bars, count, draw, facts, label, round, sheet, some, table, wrong } from "./ui.js";

const WIDTH = quantity("simdgroup.width");
const MOST_THREADS = quantity("threadgroup.threads");
const LIVE = quantity("m5-max.registers.live");
const SPILLED = quantity("m5-max.registers.spilled");
const MODULAR = quantity("modular.accumulators");

/** Bytes of a staged operand of rows x columns, `pad` bytes behind each row. 0 when it is not staged. */
export const staged = (rows, columns, size, pad) => (size ? rows * (columns + pad / size) * size : 0);

/**
 * All that follows from the tile. Sizes of a value in bytes: memoryA, memoryB in device memory, stageA, stageB in
 * threadgroup memory (0: not staged). fragment: 8, 16, or 0 for an opaque matmul2d; operand: bytes of an operand value in registers.
 * reserve: threadgroup bytes that the kernel allocates in any case, for the edges of C.
 */
export const budget = ({ bm, bn, bk, wm, wn, memoryA, memoryB, stageA, stageB, pad, buffers, reserve = 0, transposedB, fragment, operand }) => {
  const simdgroups = wm * wn;
  const threads = WIDTH * simdgroups;
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


/** The step in which an edge of the tile may grow: whole fragments for every simdgroup along it. */
const unit = (fragment, simdgroups) => (Number(fragment) || 8) * simdgroups;
const LARGEST = 256;
const steps = (size) => Array.from({ length: Math.max(1, Math.floor(LARGEST / size)) }, (_, at) => (at + 1) * size);
const together = (a, b) => (a % b === 0 ? a : b % a === 0 ? b : a * b);
const snap = (value, size) => Math.min(Math.floor(LARGEST / size) * size, Math.max(size, Math.round(value / size) * size));

const read = (state) => {
  const made = budget(numbers(state));
  if (!made.whole) throw wrong(`A ${state.bm} × ${state.bn} tile does not divide into ${state.fragment} × ${state.fragment} fragments over ${state.wm} × ${state.wn} simdgroups. MLX divides and drops the rest, which leaves holes.`);
  const over = [];
  if (made.threads > MOST_THREADS) over.push(`${count(made.threads)} threads exceed ${count(MOST_THREADS)}`);
  if (made.memory > GROUP_MEMORY) over.push(`${count(made.memory)} bytes exceed the ${count(GROUP_MEMORY)} of a threadgroup`);
  if ((made.registers ?? made.accumulators) > CEILING) over.push(`${round(made.registers ?? made.accumulators)} registers exceed the ceiling of ${CEILING}, so it spills`);
  const needs = Math.max(made.registers ?? made.accumulators, 1);
  return { ...made, state, over, needs, fits: over.length ? null : residency({ registers: needs, memory: made.memory, threads: made.threads }), perSecond: made.fromTile && state.rate / made.fromTile };
};
const says = ({ state, over, registers, accumulators, memory, fromMemory, perSecond }) =>
  over.length
    ? `Does not work as counted: ${over.join("; ")}.`
    : `${registers === null ? `${round(accumulators)} accumulators per lane (operands unknown)` : `${round(registers)} of ${CEILING} registers per lane`}, ${memory ? `${count(memory)} bytes of threadgroup memory` : "no threadgroup memory"}, ${round(fromMemory)} FLOP per byte from memory.${perSecond > MEASURED_TB ? ` At ${state.rate} TFLOPS it asks threadgroup memory for ${round(perSecond, 2)} TB/s, more than the ${MEASURED_TB} read on an M5 Max with 4-byte loads.` : ""}`;

/** What is used of a limit, in parts, from `left` on, with A's mark. */
const gauge = (left, right, y, text, parts, most, ghost) => {
  const scale = (right - left) / (most * 1.25);
  const x = (value) => left + Math.min(value, most * 1.25) * scale;
  let from = 0;
  return [
    label(left, y - 3, text, "i-ink"),
    draw("rect", { class: "d-box", x: left, y: y + 3, width: most * scale, height: 14 }),
    parts.map(([cls, value]) => draw("rect", { class: cls, x: x(from), y: y + 3, width: Math.max(0, x((from += value)) - x(from - value)), height: 14 })),
    draw("path", { class: "i-cursor", d: `M${x(most)} ${y}v20` }),
    ghost !== undefined && draw("path", { class: "i-ghost", d: `M${x(ghost)} ${y - 1}v22` }),
  ];
};
const SPANS = [80, 128, LARGEST];
/** C with its simdgroups and fragments, A beside and B above it, on one scale of elements; the budget's gauges. */
const picture = (view, width, ghost) => {
  const { state, tm, tn, accumulators, operands, memory, threads } = view;
  const [bm, bn] = [state.bm, state.bn];
  const span = SPANS.find((one) => one >= Math.max(bm, bn, ghost?.state.bm ?? 0, ghost?.state.bn ?? 0)) ?? LARGEST;
  const wide = width > 480;
  const room = wide ? Math.min(330, width * 0.55) : Math.min(width, 330);
  const slab = room * 0.17;
  const top = 32 + slab;
  const left = slab + 8;
  const scale = (room - left - 14) / span;
  const deep = Math.min(state.bk * scale, slab);
  const [w, h] = [bn * scale, bm * scale];
  const [cw, ch] = [w / state.wn, h / state.wm];
  const line = (cls, x0, y0, x1, y1) => draw("path", { class: cls, d: `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}` });
  const level = (staged) => (Number(staged) ? "mw-threadgroup" : "mw-device");
  const floor = top + span * scale + 20;
  const [from, to, first] = wide ? [room + 22, width - 4, top + 8] : [2, width - 2, floor + 16];
  const fragments = tm && tm * state.wm <= 32 && tn * state.wn <= 32;
  return {
    scale, left, top,
    svg: sheet(
      width, wide ? floor : first + 96,
      label(2, 12, `C: ${bm} × ${bn}${tm ? `, ${round(tm)} × ${round(tn)} fragments per simdgroup` : ""}`, "i-ink"),
      draw("rect", { class: level(state.stageA), x: left - 5 - deep, y: top, width: deep, height: h }),
      draw("rect", { class: level(state.stageB), x: left, y: top - 5 - deep, width: w, height: deep }),
      label(2, top - 8, deep < state.bk * scale ? "BK, cut" : `BK ${state.bk}`),
      draw("rect", { class: "mw-registers mw-part", x: left, y: top, width: w, height: h }),
      draw("rect", { class: "mw-registers", x: left, y: top, width: cw, height: ch }),
      fragments && Array.from({ length: tn * state.wn - 1 }, (_, at) => line("i-thin", left + ((at + 1) * cw) / tn, top, left + ((at + 1) * cw) / tn, top + h)),
      fragments && Array.from({ length: tm * state.wm - 1 }, (_, at) => line("i-thin", left, top + ((at + 1) * ch) / tm, left + w, top + ((at + 1) * ch) / tm)),
      Array.from({ length: state.wn + 1 }, (_, at) => line("i-edge", left + at * cw, top, left + at * cw, top + h)),
      Array.from({ length: state.wm + 1 }, (_, at) => line("i-edge", left, top + at * ch, left + w, top + at * ch)),
      ghost && [draw("rect", { class: "i-ghost", x: left, y: top, width: ghost.state.bn * scale, height: ghost.state.bm * scale }), label(left + ghost.state.bn * scale - 4, top + ghost.state.bm * scale - 5, "A", "i-ink d-end")],
      draw("path", { class: "i-edge", d: `M${left} ${floor - 12}v6h${32 * scale}v-6` }),
      label(left + 32 * scale + 6, floor - 4, "32 elements"),
      grip(left + w, top + h),
      gauge(from, to, first, `registers: ${round(accumulators)}${operands === null ? "" : ` + ${round(operands)}`} of ${CEILING} per lane`, [["mw-registers", accumulators], ["mw-registers mw-part", operands ?? 0]], CEILING, ghost?.needs),
      gauge(from, to, first + 38, `threadgroup memory: ${round(memory / 1024)} of ${GROUP_MEMORY / 1024} KiB`, [["mw-threadgroup", memory]], GROUP_MEMORY, ghost?.memory),
      gauge(from, to, first + 76, `threads: ${count(threads)} of ${count(MOST_THREADS)}`, [["d-b", threads]], MOST_THREADS, ghost?.threads),
    ),
  };
};
const hand = {
  name: "The lower right corner of the tile",
  hint: "drag the corner",
  at: ({ state }) => ({ now: state.bm * state.bn, min: 0, max: LARGEST * LARGEST, text: `${state.bm} by ${state.bn}` }),
  move(point, { state, scale: { scale, left, top } }) {
    return { bm: snap((point.y - top) / scale, unit(state.fragment, state.wm)), bn: snap((point.x - left) / scale, unit(state.fragment, state.wn)) };
  },
  key(name, { state }) {
    const [rows, columns] = [unit(state.fragment, state.wm), unit(state.fragment, state.wn)];
    const both = (by) => ({ bm: snap(state.bm + by * rows, rows), bn: snap(state.bn + by * columns, columns) });
    return { ArrowUp: { bm: snap(state.bm - rows, rows) }, ArrowDown: { bm: snap(state.bm + rows, rows) }, ArrowLeft: { bn: snap(state.bn - columns, columns) }, ArrowRight: { bn: snap(state.bn + columns, columns) }, PageUp: both(1), PageDown: both(-1), Home: both(-LARGEST), End: both(LARGEST) }[name];
  },
};

const TYPES = [["4", "fp32"], ["2", "fp16, bf16"]];
const STAGED = [...TYPES, ["0", "not staged"]];
const spec = {
  title: "Tile budget",
  presetLabel: "Kernel",
  presets: KERNELS,
  controls: [
    { key: "bm", label: "Edge of the tile", value: 64, min: 8, max: LARGEST, whole: true, stops: ({ fragment, wm, wn }) => steps(together(unit(fragment, wm), unit(fragment, wn))), sets: (value) => ({ bn: value }), help: "both edges; the corner moves each" },
    { key: "bn", label: "BN", value: 64, min: 8, max: LARGEST, whole: true, group: "Tile" },
    { key: "bk", label: "BK", value: 16, min: 8, max: 512, whole: true, group: "Tile" },
    { key: "wm", label: "Simdgroups along M", value: 2, min: 1, max: 8, whole: true, group: "Tile" },
    { key: "wn", label: "Simdgroups along N", value: 2, min: 1, max: 8, whole: true, group: "Tile" },
    { key: "memoryA", label: "A in memory", value: "4", options: TYPES, group: "Operands" },
    { key: "memoryB", label: "B in memory", value: "4", options: TYPES, group: "Operands" },
    { key: "stageA", label: "A staged as", value: "4", options: STAGED, group: "Operands" },
    { key: "stageB", label: "B staged as", value: "4", options: STAGED, group: "Operands" },
    { key: "pad", label: "Bytes behind each staged row", value: 0, min: 0, max: 64, step: 4, group: "Operands" },
    { key: "buffers", label: "Staging tiles", value: 1, min: 1, max: 4, whole: true, group: "Operands" },
    { key: "reserve", label: "Threadgroup bytes kept for edges", value: 0, min: 0, max: GROUP_MEMORY, whole: true, group: "Operands" },
    { key: "transposedB", label: "B is stored as N × K", value: false, check: true, group: "Operands" },
    { key: "fragment", label: "Fragment", value: "8", options: [["8", "8 × 8, simdgroup_matrix"], ["16", "16 × 16, NAX"], ["0", "matmul2d of several simdgroups"]], group: "Registers" },
    { key: "operand", label: "Operands in registers", value: "4", options: TYPES, group: "Registers" },
    { key: "rate", label: "At a rate of, TFLOPS", value: quantity("m5-gemm.fp32"), min: 0.1, max: 200, step: 0.1, group: "Registers" },
  ],
  read, says, picture, hand,
  figures: (view) => [
    ["registers", view.needs, round(view.needs)],
    ["threadgroup bytes", view.memory, count(view.memory)],
    ["FLOP per byte", view.fromMemory, round(view.fromMemory)],
    ["groups on M1 and M2", view.fits?.groups ?? null, view.fits ? String(view.fits.groups) : "none"],
  ],
  details(view, width) {
    const { state, needs, fits, perSecond } = view;
    return [
      bars(
        width, "FLOP per byte at each level", "The lower the value, the more bandwidth that level must deliver.",
        [
          ["requested from memory", view.fromMemory, "mw-device"],
          view.merged > view.fromMemory * 1.001 && ["if caches merge", view.merged, "d-box"],
          view.fromTile && ["from threadgroup memory", view.fromTile, perSecond > MEASURED_TB ? "d-hot" : "mw-threadgroup"],
        ].filter(Boolean).map(([name, value, cls]) => [name, value, cls, round(value, value < 10 ? 2 : 3)]),
        Math.max(view.merged, view.fromMemory),
      ),
      table("The budget", ["What", "This tile", "Limit"], [
        ["Threads", count(view.threads), count(MOST_THREADS)],
        ["Accumulators per lane", round(view.accumulators), `${CEILING}, with everything else; ${MODULAR} by Modular's rule`],
        ["Operands per lane", view.operands === null ? "unknown" : round(view.operands), ""],
        ["Threadgroup memory", `${count(view.memory)} B`, `${count(GROUP_MEMORY)} B`],
        view.loads && ["Fragment loads per multiply", round(view.loads, 2), ""],
        perSecond && [`Threadgroup TB/s at ${state.rate} TFLOPS`, round(perSecond, 2), `${MEASURED_TB} by 4-byte loads, M5 Max`],
        ["Memory GB/s at that rate", count((state.rate / view.fromMemory) * 1000), "caches included"],
        ["Barriers per K step", String(view.barriers), ""],
        ["Largest threadgroup, M1 and M2", largestThreadgroup(needs) ? `${count(largestThreadgroup(needs))} threads` : "none", `at ${round(needs)} registers`],
      ].filter(Boolean), { numbers: false }),
      facts([
        fits && ["Resident on M1 and M2", `${some(fits.groups, "threadgroup")}, ${some(fits.simdgroups, "simdgroup")}`, `limited by ${fits.limits.join(" and ")}; the ALUs saturate at ${SATURATION}. Addresses and counters come on top of ${round(needs)} registers.`],
        ["Spilling", view.registers === null ? "unknown" : view.registers > CEILING ? "certain" : view.registers > LIVE ? "likely" : "not expected", `M5 Max: ${LIVE} live values kept their speed, ${SPILLED} fell to a quarter; m5-gemm with an 8 × 8 grid ran ten times slower`],
        ["Resident from M3 on", "unknown", "registers and threadgroup memory are allocated as the kernel runs"],
      ]),
    ];
  },
};
export const mount = (element) => place(element, spec);
