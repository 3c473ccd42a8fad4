/* A pinned against B: what the result says of the difference. */
import { round } from "./ui.js";

const change = (from, to) => {
  if (typeof from !== "number" || typeof to !== "number" || !from || !to || from === to) return "";
  const ratio = to / from;
  return ratio >= 2 || ratio <= 0.5 ? ` (× ${round(ratio, 2)})` : ` (${ratio > 1 ? "+" : "−"}${round(Math.abs(ratio - 1) * 100, 2)}%)`;
};
/** Figures are [name, number or null, text]. One sentence on those of B beside those of A; `same` if the states are. */
export const versus = (a, b, same) => {
  if (same) return "A and B are the same.";
  const before = new Map(a.map(([name, ...rest]) => [name, rest]));
  const pairs = b.filter(([name]) => before.has(name)).map(([name, value, text]) => {
    const [old, oldText] = before.get(name);
    return oldText === text ? `${name} ${text} in both` : `${name} ${oldText} → ${text}${change(old, value)}`;
  });
  return `A → B: ${pairs.join("; ")}.`;
};
