/* What a kernel must have left behind, worked out on the CPU. The twin of lab/expected.py. */

const WORD = 2 ** 32;
const word = (value) => ((value % WORD) + WORD) % WORD;

/** What `steps` times x -> a x + b make of `start`, modulo 2^32, by doubling. */
export const affine = (start, a, b, steps) => {
  let [scale, shift] = [1, 0];
  for (let left = steps; left; left = Math.floor(left / 2)) {
    if (left % 2) [scale, shift] = [Math.imul(scale, a), Math.imul(shift, a) + b];
    [a, b] = [Math.imul(a, a), Math.imul(b, a) + b];
    shift |= 0;
    b |= 0;
  }
  return (Math.imul(scale, start) + shift) >>> 0;
};

const range = (count) => Array.from({ length: count }, (_, at) => at);
const sum = (count, each) => {
  let total = 0;
  for (let at = 0; at < count; at += 1) total += each(at);
  return word(total);
};
const same = (out, pattern, threads) => {
  const used = Math.min(out.length, threads);
  for (let at = 0; at < used; at += 1) if (out[at] !== pattern[at % pattern.length]) return false;
  return true;
};
const steps = (values, trips) => trips * values.STEPS;

/** x -> 1 - x: the start after an even number of steps, 1 - start after an odd one. */
const alternate = (out, values, trips, threads) => {
  const odd = steps(values, trips) % 2;
  return same(out, range(8).map((t) => sum(values.CHAINS ?? 2 * values.HALF, (c) => (odd ? 1 - (t + c) : t + c))), threads);
};
/** The same with 1 + w - x, where w is the way that the thread took. */
const ways = (out, values, trips, threads) => {
  const odd = steps(values, trips) % 2;
  const pattern = range(values.GROUP * values.WAYS).map((i) => {
    const way = (values.BY === "group.x" ? Math.floor(i / values.GROUP) : i) % values.WAYS;
    return sum(values.CHAINS, (c) => (odd ? 1 + way - ((i % 8) + c) : (i % 8) + c));
  });
  return same(out, pattern, threads);
};
/** x -> 1000003 x + 12345 modulo 2^32. */
const integer = (out, values, trips, threads) =>
  same(out, range(256).map((t) => sum(values.CHAINS, (c) => affine(t * 77 + c, 1000003, 12345, steps(values, trips)))), threads);
/** Chains that run to a fixed point, within 2^-16 of what double precision gives. */
const fixed = (out, values, trips, threads) => {
  const step = values.OP.includes("exp2") ? (x) => 2 ** -x : (x) => x ** -0.5;
  const want = range(4).map((t) => {
    let total = 0;
    for (let chain = 0; chain < values.CHAINS; chain += 1) {
      let x = 0.75 + 0.0625 * (t + chain);
      for (let k = 0; k < Math.min(steps(values, trips), 200); k += 1) x = step(x);
      total += x;
    }
    return total;
  });
  const got = new Float32Array(out.buffer, out.byteOffset, Math.min(out.length, threads));
  return got.every((value, at) => Math.abs(value - want[at % 4]) <= want[at % 4] / 65536);
};

const lanes = (out, values, threads, want) => {
  const known = new Map();
  for (let i = 0; i < Math.min(out.length, 2 * threads); i += 2) {
    const told = out[i + 1];
    if (!known.has(told)) {
      const [lane, size] = [told & 0xffff, told >>> 16];
      if (size < 1 || size > 128 || lane >= size) return false;
      known.set(told, sum(values.CHAINS, (chain) => want(lane, size, chain)));
    }
    if (out[i] !== known.get(told)) return false;
  }
  return true;
};
/** x -> the sum of the subgroup + lane. */
const subgroup_sum = (out, values, trips, threads) =>
  lanes(out, values, threads, (lane, size, chain) => {
    const pairs = (size * (size - 1)) / 2;
    return affine(3 * pairs + size * chain, size, pairs, steps(values, trips) - 1) + lane;
  });
/** x -> the next lane's x + 77. */
const rotate = (out, values, trips, threads) =>
  lanes(out, values, threads, (lane, size, chain) => ((lane + steps(values, trips)) % size) * 3 + chain + 77 * steps(values, trips));
/** x -> the sum over 256 threads t of x xor t, which ends at one value. */
const group_sum = (out, values, trips, threads) => {
  let total = 1;
  for (let k = 0; k < Math.min(steps(values, trips), 40); k += 1) {
    const from = total;
    total = sum(256, (t) => (from ^ t) >>> 0);
  }
  return same(out, [total], threads);
};
/** x -> x + 2048 modulo 4096. */
const stride = (out, values, trips, threads) => {
  const move = 2048 * (steps(values, trips) % 2);
  return same(out, range(32).map((t) => sum(values.CHAINS, (c) => (t * values.STRIDE + c + move) % 4096)), threads);
};
/** Each trip hands every value on by 33 threads. */
const exchange = (out, values, trips, threads) => same(out, range(values.GROUP).map((t) => (t + 33 * trips) % values.GROUP), threads);
/** Every word has been added to by its share of the threads. */
const tally = (out, values, trips, threads) => {
  const words = Math.min(values.words, out.length);
  for (let i = 0; i < words; i += 1) {
    if (out[i] !== word((Math.floor(threads / words) + (i < threads % words)) * steps(values, trips))) return false;
  }
  return true;
};
/** The same within each workgroup. */
const tally_group = (out, values, trips, threads) => {
  const each = word((values.GROUP / values.words) * steps(values, trips));
  return same(out, range(values.GROUP).map((t) => (t < values.words ? each : 0)), threads);
};

export const CHECKS = { alternate, ways, integer, fixed, subgroup_sum, rotate, group_sum, stride, exchange, tally, tally_group };

/** The sum, modulo 2^32, of passes over so many bytes: 0 to 4095 times a constant, again and again. */
export const pieceSum = (trips, total) => {
  const period = Math.imul((4095 * 4096) / 2, 2654435761);
  return Math.imul(Math.imul(total / 16384, period), trips) >>> 0;
};

/** The same of one pass, each piece of four words counted as often as its place modulo 1,024 says, from 1. */
export const pieceWeight = (total) => {
  const period = sum(1024, (i) => (16 * i + 6) * (i + 1));
  return Math.imul(Math.imul(total / 16384, period), 2654435761) >>> 0;
};

/** A random cycle through so many lines, the same in both languages: Fisher and Yates with xorshift32. */
export const order = (lines) => {
  let state = 2463534242;
  const out = Uint32Array.from({ length: lines }, (_, at) => at);
  for (let i = lines - 1; i > 0; i -= 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
};

/** An element of A (which 0) or B (1): a small whole number, so that every sum is exact in f32. */
export const factor = (row, column, which) => ((row * 7 + column * 3 + which * 5 + (row & column & 7)) % 9) - 4;
/** A square of factors, row by row. */
export const matrix = (edge, which) => {
  const out = new Float32Array(edge * edge);
  for (let i = 0; i < edge; i += 1) for (let j = 0; j < edge; j += 1) out[i * edge + j] = factor(i % 72, j % 72, which);
  return out;
};
/** An element of the product. */
export const element = (row, column, depth) => {
  let total = 0;
  for (let k = 0; k < depth; k += 1) total += factor(row % 72, k % 72, 0) * factor(k % 72, column % 72, 1);
  return total;
};
/** 64 places from all over a square, its corners among them. */
export const samples = (edge) => {
  const last = edge - 1;
  return [[0, 0], [0, last], [last, 0], [last, last], ...range(60).map((at) => [((at + 1) * 7919) % edge, ((at + 1) * 104729) % edge])];
};
