/* Occupancy: a core as slots for simdgroups, what fills them on an M1 or M2, and why nobody can say it of later chips. */
import { mount as place } from "./instrument.js";
import { quantity } from "./quantities.js";
import { CEILING, CYCLES, GROUP_MEMORY, MOST_THREADS, POOL, REGISTER, SATURATION, SLOTS, STEP, WIDTH, allocated, largestThreadgroup, residency } from "./residency.js";
import { even } from "./slider.js";
import { bytes, count, draw, facts, label, percent, round, sheet, some, table, wrong } from "./ui.js";

const FAMILIES = [["7", "M1 or M2"], ["9", "M3 or M4"], ["10", "M5"]];
const LIVE = quantity("m5-max.registers.live");
const span = (key) => quantity(key).join(" to ");
const read = (state) => {
  const { registers, memory, threads } = state;
  if (registers > CEILING) throw wrong(`${registers} registers: a thread can name ${CEILING} (M1, reverse-engineered). What exceeds that is spilled to memory, and the sum below does not describe it.`);
  const demand = [allocated(registers) * REGISTER * threads, memory, threads];
  if (state.family !== "7") return { state, demand, later: true };
  const largest = largestThreadgroup(registers);
  if (threads > largest) throw wrong(`A threadgroup of ${count(threads)} threads at ${registers} registers does not fit into one core: at most ${count(largest)} threads do.`);
  return { state, demand, largest, ...residency(state) };
};
const says = ({ state, later, groups, simdgroups, limits }) => {
  if (later) return `Unknown. On ${state.family === "10" ? "M5" : "M3 and M4"} the hardware allocates registers and threadgroup memory while the kernel runs, and no pool size or limit of residency has been published.`;
  return `${some(groups, "threadgroup")} per core, ${some(simdgroups, "simdgroup")}, limited by ${limits.join(" and ")}. ${simdgroups >= SATURATION ? `That is at or above the ${SATURATION} beyond which more simdgroups bring an M1 Max no more arithmetic; with one chain per thread that is half of peak.` : `That is below the ${SATURATION} up to which an M1 Max gains from more simdgroups, so the kernel needs independent instructions inside each thread.`}`;
};

const ROWS = [["registers", "mw-registers", POOL.registers], ["threadgroup memory", "mw-threadgroup", POOL.memory], ["threads", "d-b", POOL.threads]];
/** A core as slots for simdgroups, filled group by group, and the pools that the groups draw from. */
const picture = (view, width, ghost) => {
  const { state, later, groups = 0, simdgroups = 0, limits = [], demand } = view;
  const columns = SATURATION;
  const left = 2;
  const size = Math.min(26, (width - 2 * left) / columns);
  const high = Math.min(20, size * 1.4);
  const lines = Math.ceil(SLOTS / columns);
  const top = 20;
  const each = Math.ceil(state.threads / WIDTH);
  const slot = (at) => [left + (at % columns) * size, top + Math.floor(at / columns) * (high + 3)];
  const parts = [];
  for (let at = 0; at < SLOTS; at += 1) {
    const [x, y] = slot(at);
    const cls = later ? "i-slot" : at < simdgroups ? (Math.floor(at / each) % 2 ? "mw-registers mw-part" : "mw-registers") : "d-box";
    parts.push(draw("rect", { class: cls, x: x + 0.75, y, width: size - 1.5, height: high }));
    if (later && at % 8 === 4) parts.push(label(x, y + high / 2 + 4, "?", "d-s d-mid"));
  }
  if (!later) parts.push(draw("path", { class: "i-limit", d: `M${left} ${top + high + 1.5}h${columns * size}` }));
  if (ghost && !ghost.later && ghost.simdgroups > 0) {
    const [x, y] = slot(ghost.simdgroups - 1);
    parts.push(draw("path", { class: "i-cursor", d: `M${x + size} ${y - 2}v${high + 4}` }), label(Math.min(x + size, width - 12), y - 4, "A", "i-ink d-mid"));
  }
  const say = later ? "slots of a core: their number is not published" : `${simdgroups} of ${SLOTS} simdgroups; ${SATURATION} feed an M1 Max`;
  parts.push(label(left, 13, say));
  let y = top + lines * (high + 3) + 16;
  const first = y;
  const wide = width - 2 * left;
  for (const [at, [name, cls, pool]] of ROWS.entries()) {
    const used = demand[at];
    const sum = later ? 0 : groups * used;
    parts.push(label(left, y - 3, `${name}: ${at < 2 ? bytes(used) : count(used)} each${later ? "" : `, ${percent(sum / pool)} of ${at < 2 ? bytes(pool) : count(pool)}`}`, limits.includes(name) ? "i-ink" : "d-s"));
    parts.push(draw("rect", { class: later ? "i-slot" : "d-box", x: left, y: y + 3, width: wide, height: 14 }));
    if (later) parts.push(label(left + wide / 2, y + 14, "size of the pool not published", "d-s d-mid"));
    else {
      for (let group = 0; group < groups; group += 1) {
        const x = left + (group * used * wide) / pool;
        parts.push(draw("rect", { class: cls, x: x + 0.5, y: y + 3, width: Math.max(0, (used * wide) / pool - 1), height: 14 }));
      }
      if (ghost && !ghost.later) parts.push(draw("path", { class: "i-ghost", d: `M${left + (ghost.demand[at] * ghost.groups * wide) / pool} ${y}v20` }));
      if (used) parts.push(draw("path", { class: "i-cursor", d: `M${left + Math.min(1, used / pool) * wide} ${y + 1}v18` }));
    }
    y += 38;
  }
  if (later) {
    // What is known instead: what measurements found when a kernel asked for more registers.
    const m5 = state.family === "10";
    const x = (value) => left + (value / 160) * wide;
    const [from, to] = m5 ? [quantity("m5-max.registers.tried"), LIVE] : quantity("m4-pro.registers.tried");
    const loss = m5 ? `within ${quantity("m5-max.registers.loss")}%` : `${span("m4-pro.registers.loss")}% slower in all`;
    parts.push(label(left, y - 3, `measured, ${m5 ? "M5 Max" : "M4 Pro"}: ${from} to ${to} registers`, "i-ink"), label(left, y + 31, loss));
    parts.push(draw("rect", { class: "d-box", x: left, y: y + 3, width: wide, height: 14 }), draw("rect", { class: "mw-registers", x: x(from), y: y + 3, width: x(to) - x(from), height: 14 }));
    if (m5) parts.push(draw("rect", { class: "d-hot", x: x(quantity("m5-max.registers.spilled")) - 2, y: y + 1, width: 5, height: 18 }), label(x(quantity("m5-max.registers.spilled")), y + 31, `${quantity("m5-max.registers.spilled")} spilled`, "d-s d-mid"));
    parts.push(draw("path", { class: "i-cursor", d: `M${x(state.registers)} ${y}v20` }));
    y += 38;
  }
  return { svg: sheet(width, y - 4, parts), first, left, wide };
};
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const hand = {
  name: "What one threadgroup takes of the core",
  hint: "drag a bar",
  at: ({ state, groups, simdgroups, later }) => ({ now: state.registers, min: 1, max: CEILING, text: `${state.registers} registers, ${count(state.memory)} bytes, ${count(state.threads)} threads: ${later ? "unknown" : `${groups} threadgroups, ${simdgroups} simdgroups`}` }),
  move(point, { from, state, scale: { first, left, wide } }) {
    const row = Math.floor((from.y - first + 16) / 38);
    const share = clamp((point.x - left) / wide, 0, 1);
    if (row === 0) {
      const registers = state.family === "7" ? (share * POOL.registers) / REGISTER / state.threads : share * CEILING;
      return { registers: clamp(Math.round(registers / STEP) * STEP, STEP, CEILING) };
    }
    const [memory, threads] = state.family === "7" ? [POOL.memory, POOL.threads] : [GROUP_MEMORY, MOST_THREADS];
    if (row === 1) return { memory: clamp(Math.round((share * memory) / 256) * 256, 0, GROUP_MEMORY) };
    if (row === 2) return { threads: clamp(Math.round((share * threads) / WIDTH) * WIDTH, WIDTH, MOST_THREADS) };
    if (row === 3) return { registers: clamp(Math.round(share * 160), 1, CEILING) };
    return null;
  },
  key(name, { state }) {
    const registers = { ArrowLeft: state.registers - 1, ArrowRight: state.registers + 1, PageDown: state.registers - 16, PageUp: state.registers + 16, Home: 1, End: CEILING }[name];
    if (registers !== undefined) return { registers: clamp(registers, 1, CEILING) };
    return { memory: clamp(state.memory + (name === "ArrowUp" ? 512 : -512), 0, GROUP_MEMORY) };
  },
};

const knownLater = (state) => {
  const m5 = state.family === "10";
  return facts([
    ["Resident simdgroups", "unknown", "Read the occupancy counters of a capture, or launch one, two, three threadgroups per core and look for the knee."],
    ["Registers", m5 ? `no step from ${quantity("m5-max.registers.tried")} to ${LIVE} live values; at ${quantity("m5-max.registers.spilled")} it spilled` : `no step from ${span("m4-pro.registers.tried")} registers`, m5 ? `M5 Max, throughput within ${quantity("m5-max.registers.loss")}%, then a quarter` : `M4 Pro, ${span("m4-pro.registers.loss")}% in all`],
    ["maxTotalThreadsPerThreadgroup", `${count(MOST_THREADS)}, whatever the kernel uses`, "seen on an M4 Pro, an M5 and an M5 Max"],
    ["Threadgroup memory", `${bytes(state.memory)} of ${bytes(GROUP_MEMORY)} per group`, m5 ? null : `An M4 lost ${round(quantity("m4.codebook.loss"), 2)}% of its speed when copies of a table took 32 KB instead of 4.`],
  ]);
};
const onM1 = (state) => state.family === "7";
const spec = {
  title: "What fits into a core",
  presetLabel: "Kernel",
  presets: [
    ["steel, fp16, 64 × 64 × 16, four simdgroups, 64 registers", { registers: quantity("tile.registers"), memory: quantity("tile.memory"), threads: quantity("tile.threads") }],
    ["steel, fp16, 64 × 64 × 16, two simdgroups, 88 registers", { registers: 88, memory: quantity("tile.memory"), threads: 64 }],
    ["m5-gemm, fp32, one buffer", { registers: 48, memory: 8192, threads: 128 }],
    ["m5-gemm, fp32, two buffers", { registers: 48, memory: 16384, threads: 128 }],
  ],
  controls: [
    { key: "family", label: "Chip", value: "7", front: true, options: FAMILIES },
    { key: "registers", label: "Registers per thread", value: quantity("tile.registers"), min: 1, max: 160, whole: true, stops: even(1, 160) },
    { key: "memory", label: "Threadgroup memory, bytes", value: quantity("tile.memory"), min: 0, max: GROUP_MEMORY, whole: true, stops: even(0, GROUP_MEMORY, 256) },
    { key: "threads", label: "Threads per threadgroup", value: quantity("tile.threads"), min: 1, max: MOST_THREADS, whole: true, stops: even(WIDTH, MOST_THREADS, WIDTH) },
    { key: "chains", label: "Independent FMA chains per thread", value: "4", options: [["1", "1"], ["2", "2"], ["3", "3"], ["4", "4 or more"]], when: onM1 },
    { key: "type", label: "Precision", value: "FP32", options: [["FP32", "FP32"], ["FP16", "FP16"]], when: onM1 },
  ],
  read, says, picture, hand,
  figures: (view) => [
    ["threadgroups", view.groups ?? null, view.later ? "unknown" : String(view.groups)],
    ["simdgroups", view.simdgroups ?? null, view.later ? "unknown" : String(view.simdgroups)],
  ],
  details(view) {
    const { state } = view;
    if (view.later) return [knownLater(state)];
    const { simdgroups, groups, largest, limits, demand } = view;
    const chains = Number(state.chains) - 1;
    // The next step down in registers that would admit one more threadgroup.
    const more = limits.includes("registers") && Math.floor(POOL.registers / ((groups + 1) * state.threads * REGISTER) / STEP) * STEP;
    return [
      facts([
        ["By registers, memory, threads", `${view.byRegisters}, ${view.byMemory ?? "any"}, ${view.byThreads} threadgroups`, "the smallest decides"],
        ["Largest threadgroup", `${count(largest)} threads`, `at ${state.registers} registers per thread`],
        ["One threadgroup takes", `${bytes(demand[0])} of registers`, `${bytes(state.memory)} of threadgroup memory`],
        more > 0 && ["One more threadgroup", `at ${more} registers per thread`, "as far as registers go"],
        [`Of ${SLOTS} simdgroups`, percent(simdgroups / SLOTS), "the most a core can hold"],
        state.threads % WIDTH > 0 && ["Idle lanes", `${WIDTH - (state.threads % WIDTH)} in the last simdgroup`, `the group is not a multiple of ${WIDTH}`],
      ]),
      table(
        `${state.type} FMAs on an M1 Max with ${state.chains === "4" ? "four chains" : state.chains === "1" ? "one chain" : `${state.chains} chains`} per thread`,
        ["Simdgroups per core", "Cycles per FMA", "Share of peak"],
        Object.entries(CYCLES[state.type]).map(([residents, row]) => [residents, row[chains].toFixed(2), percent(Math.min(1, 1 / row[chains]))]),
      ),
    ];
  },
};
export const mount = (element) => place(element, spec);
