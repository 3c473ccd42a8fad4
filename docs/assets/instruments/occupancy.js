/* Occupancy: what fits into one core of an M1 or M2, and why nobody can say it of later chips.
   Pools: philipturner/metal-benchmarks README.md L84-86 (about 208 KB of registers, about 60 KB of threadgroup memory,
   3,072 threads; Apple7 and Apple8, inferred). Saturation at 24 simdgroups: the same file, L208 (M1 Max).
   The staircase of registers and threads: Rosenzweig, Mesa commit e7139838754e. */
import { bars, bytes, count, facts, mount as place, percent, some, table, wrong } from "./ui.js";
import { quantity } from "./quantities.js";

export const POOL = { registers: quantity("m1.pool.registers") * 1024, memory: quantity("m1.pool.memory") * 1024, threads: quantity("m1.pool.threads") };
export const SATURATION = quantity("m1.saturation");
export const CEILING = quantity("m1.registers");
export const GROUP_MEMORY = quantity("threadgroup.memory") * 1024;

/** Registers are handed out in steps of 8 halves, which is 4 registers. */
export const allocated = (registers) => Math.ceil(registers / 4) * 4;

/** The largest threadgroup whose threads can each have so many registers, on M1 and M2; 0 above the ceiling. */
export const largestThreadgroup = (registers) => {
  if (registers > CEILING) return 0;
  for (let threads = 1024; threads > 0; threads -= 64) {
    const halves = Math.min(256, Math.floor(POOL.registers / 2 / threads / 8) * 8);
    if (halves >= registers * 2) return threads;
  }
  return 0;
};

/** Three divisions, rounded down. A quotient is null where the kernel asks for nothing of that pool. */
export const residency = ({ registers, memory, threads }) => {
  const byRegisters = Math.floor(POOL.registers / (allocated(registers) * 4 * threads));
  const byMemory = memory ? Math.floor(POOL.memory / memory) : null;
  const byThreads = Math.floor(POOL.threads / threads);
  const all = [["registers", byRegisters], ["threadgroup memory", byMemory], ["threads", byThreads]].filter(([, groups]) => groups !== null);
  const groups = Math.min(...all.map(([, value]) => value));
  return { byRegisters, byMemory, byThreads, groups, simdgroups: groups * Math.ceil(threads / 32), limits: all.filter(([, value]) => value === groups).map(([name]) => name) };
};

/** Cycles for one FMA instruction, M1 Max: [precision][simdgroups per core] for 1 to 4 independent chains.
    metal-benchmarks README.md L187-198; its author calls the set-up less than optimal (L163). */
export const CYCLES = {
  FP32: { 4: [11.34, 8.36, 4.46, 2.75], 8: [5.71, 4.24, 2.75, 1.6], 88: [1.99, 1.87, 1.35, 1.02] },
  FP16: { 4: [3.94, 2.44, 2.55, 1.79], 8: [2.15, 1.4, 1.47, 1.29], 88: [1.56, 1.04, 1.04, 1.02] },
};

const later = (state) => {
  const m5 = state.family === "10";
  return {
    says: `Unknown. On ${m5 ? "M5" : "M3 and M4"} the hardware allocates registers and threadgroup memory while the kernel runs, and no pool size or limit of residency has been published.`,
    shows: [
      facts([
        ["Resident simdgroups", "unknown", "Read the occupancy counters of a capture, or launch one, two, three threadgroups per core and look for the knee."],
        ["Registers", m5 ? "no step from 8 to 120 live values; at 128 it spilled" : "no step from 70 to 96 registers", m5 ? "M5 Max, throughput within 6%, then a quarter" : "M4 Pro, 0.2 to 0.6% in all"],
        ["maxTotalThreadsPerThreadgroup", "1,024, whatever the kernel uses", "seen on an M4 Pro and an M5 Max"],
        ["Threadgroup memory", `${bytes(state.memory)} of ${bytes(GROUP_MEMORY)} a group`, m5 ? null : "An M4 lost 19% of its speed when a table grew from 4 to 32 KB."],
      ]),
    ],
  };
};

const spec = {
  title: "What fits into a core",
  presetLabel: "Kernel",
  presets: [
    ["steel, fp16, 64 × 64 × 16, four simdgroups, 64 registers", { registers: 64, memory: 5376, threads: 128 }],
    ["steel, fp16, 64 × 64 × 16, two simdgroups, 88 registers", { registers: 88, memory: 5376, threads: 64 }],
    ["m5-gemm, fp32, one buffer", { registers: 48, memory: 8192, threads: 128 }],
    ["m5-gemm, fp32, two buffers", { registers: 48, memory: 16384, threads: 128 }],
  ],
  controls: [
    { key: "family", label: "Chip", value: "7", options: [["7", "M1 or M2"], ["9", "M3 or M4"], ["10", "M5"]] },
    { key: "registers", label: "Registers per thread", value: 64, min: 1, max: 160, whole: true, help: "32 bits each" },
    { key: "memory", label: "Threadgroup memory, bytes", value: 5376, min: 0, max: 32768, whole: true },
    { key: "threads", label: "Threads per threadgroup", value: 128, min: 1, max: 1024, whole: true },
    { key: "chains", label: "Independent FMA chains a thread", value: "4", options: [["1", "1"], ["2", "2"], ["3", "3"], ["4", "4 or more"]], when: (state) => state.family === "7" },
    { key: "type", label: "Precision", value: "FP32", options: [["FP32", "FP32"], ["FP16", "FP16"]], when: (state) => state.family === "7" },
  ],
  render(state, width) {
    const registers = state.registers;
    if (registers > CEILING) throw wrong(`${registers} registers: a thread can name ${CEILING} (M1, reverse-engineered). What exceeds that is spilled to memory, and the sum below does not describe it.`);
    if (state.family !== "7") return later(state);
    const largest = largestThreadgroup(registers);
    if (state.threads > largest) throw wrong(`A threadgroup of ${count(state.threads)} threads at ${registers} registers does not fit into one core: at most ${count(largest)} threads do.`);
    const fits = residency(state);
    const { simdgroups, groups } = fits;
    const enough = simdgroups >= SATURATION;
    const chains = Number(state.chains) - 1;
    const most = Math.max(fits.byRegisters, fits.byMemory ?? 0, fits.byThreads);
    // The next step down in registers that would admit one more threadgroup.
    const more = fits.limits.includes("registers") && Math.floor(POOL.registers / ((groups + 1) * state.threads * 4) / 4) * 4;
    return {
      says: `${some(groups, "threadgroup")} a core, ${some(simdgroups, "simdgroup")}, limited by ${fits.limits.join(" and ")}. ${enough ? `That is at or above the ${SATURATION} beyond which more simdgroups bring an M1 Max no more arithmetic; with one chain a thread that is half of peak.` : `That is below the ${SATURATION} up to which an M1 Max gains from more simdgroups, so the kernel needs independent instructions inside each thread.`}`,
      shows: [
        bars(
          width, "Threadgroups that fit, by pool",
          `Registers admit ${fits.byRegisters}, threadgroup memory ${fits.byMemory ?? "any number"}, threads ${fits.byThreads}. The smallest decides.`,
          [[`${POOL.registers / 1024} KB of registers`, fits.byRegisters], [`${POOL.memory / 1024} KB of threadgroup memory`, fits.byMemory], [`${count(POOL.threads)} threads`, fits.byThreads]].map(([name, value]) => [
            name, value ?? most, value === groups ? "d-hot" : "d-a", value === null ? "no limit" : String(value),
          ]),
          most,
        ),
        facts([
          ["Largest threadgroup", `${count(largest)} threads`, `at ${registers} registers per thread`],
          ["One threadgroup takes", `${bytes(allocated(registers) * 4 * state.threads)} of registers`, `${bytes(state.memory)} of threadgroup memory`],
          more > 0 && ["One more threadgroup", `at ${more} registers per thread`, "as far as registers go"],
          ["Of 96 simdgroups", percent(simdgroups / 96), "the most a core can hold"],
        ]),
        table(
          `${state.type} FMAs on an M1 Max with ${state.chains === "4" ? "four chains" : state.chains === "1" ? "one chain" : `${state.chains} chains`} a thread`,
          ["Simdgroups a core", "Cycles an FMA", "Share of peak"],
          Object.entries(CYCLES[state.type]).map(([residents, row]) => [residents, row[chains].toFixed(2), percent(Math.min(1, 1 / row[chains]))]),
        ),
        state.threads % 32 ? facts([["Idle lanes", `${32 - (state.threads % 32)} in the last simdgroup`, "the group is not a multiple of 32"]]) : null,
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
