/* What fits into one core of an M1 or M2.
   Pools: philipturner/metal-benchmarks README.md L84-86 (about 208 KB of registers, about 60 KB of threadgroup memory,
   3,072 threads; Apple7 and Apple8, inferred). Saturation at 24 simdgroups: the same file, L208 (M1 Max).
   The staircase of registers and threads: Rosenzweig, Mesa commit e7139838754e. */
import { quantity } from "./quantities.js";

export const POOL = { registers: quantity("m1.pool.registers") * 1024, memory: quantity("m1.pool.memory") * 1024, threads: quantity("m1.pool.threads") };
export const SATURATION = quantity("m1.saturation");
export const CEILING = quantity("m1.registers");
export const GROUP_MEMORY = quantity("threadgroup.memory") * 1024;
export const MOST_THREADS = quantity("threadgroup.threads");
export const WIDTH = quantity("simdgroup.width");
export const SLOTS = quantity("m1.pool.simdgroups");
/** Bytes of a register: 32 bits. */
export const REGISTER = 4;
export const STEP = quantity("m1.registers.step");

/** Registers are handed out in steps of 8 halves, which is 4 registers. */
export const allocated = (registers) => Math.ceil(registers / STEP) * STEP;

/** The largest threadgroup whose threads can each have so many registers, on M1 and M2; 0 above the ceiling. */
export const largestThreadgroup = (registers) => {
  if (registers > CEILING) return 0;
  for (let threads = MOST_THREADS; threads > 0; threads -= quantity("m1.threads.step")) {
    const each = Math.min(CEILING, Math.floor(POOL.registers / REGISTER / threads / STEP) * STEP);
    if (each >= registers) return threads;
  }
  return 0;
};

/** Three divisions, rounded down. A quotient is null where the kernel asks for nothing of that pool. */
export const residency = ({ registers, memory, threads }) => {
  const byRegisters = Math.floor(POOL.registers / (allocated(registers) * REGISTER * threads));
  const byMemory = memory ? Math.floor(POOL.memory / memory) : null;
  const byThreads = Math.floor(POOL.threads / threads);
  const all = [["registers", byRegisters], ["threadgroup memory", byMemory], ["threads", byThreads]].filter(([, groups]) => groups !== null);
  const groups = Math.min(...all.map(([, value]) => value));
  return { byRegisters, byMemory, byThreads, groups, simdgroups: groups * Math.ceil(threads / WIDTH), limits: all.filter(([, value]) => value === groups).map(([name]) => name) };
};

/** Cycles for one FMA instruction, M1 Max: [precision][simdgroups per core] for 1 to 4 independent chains.
    metal-benchmarks README.md L187-198; its author calls the set-up less than optimal (L163). */
const RATES = {
  FP32: {
    4: ["m1.chain.f32", "m1.chain.f32.4.2", "m1.chain.f32.4.3", "m1.chain.f32.4.4"],
    8: ["m1.chain.f32.8.1", "m1.chain.f32.8.2", "m1.chain.f32.8.3", "m1.chain.f32.8.4"],
    88: ["m1.chain.f32.88.1", "m1.chain.f32.88.2", "m1.chain.f32.88.3", "m1.chain.f32.88.4"],
  },
  FP16: {
    4: ["m1.chain.f16", "m1.chain.f16.4.2", "m1.chain.f16.4.3", "m1.chain.f16.4.4"],
    8: ["m1.chain.f16.8.1", "m1.chain.f16.8.2", "m1.chain.f16.8.3", "m1.chain.f16.8.4"],
    88: ["m1.chain.f16.88.1", "m1.chain.f16.88.2", "m1.chain.f16.88.3", "m1.chain.f16.88.4"],
  },
};
export const CYCLES = Object.fromEntries(Object.entries(RATES).map(([type, by]) => [type, Object.fromEntries(Object.entries(by).map(([residents, names]) => [residents, names.map(quantity)]))]));
