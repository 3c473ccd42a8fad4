/* One slider for all instruments: a range over stops, with its value beside it, to be read or typed. */
import { make } from "./ui.js";

/** Stops between two numbers: `each` to a doubling, whole, with both ends. */
export const doublings = (from, to, each = 1) => {
  const stops = [];
  for (let at = 0; from * 2 ** (at / each) < to; at += 1) stops.push(Math.round(from * 2 ** (at / each)));
  return [...new Set([...stops, to])];
};
/** Stops at equal distances, with both ends. */
export const even = (from, to, step = 1) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
/** The place of the stop that is nearest to a value; of an option, its own. */
export const nearest = (stops, value) => {
  if (typeof stops[0] !== "number") return Math.max(0, stops.findIndex((stop) => String(stop) === String(value)));
  let best = 0;
  for (let at = 1; at < stops.length; at += 1) if (Math.abs(stops[at] - value) < Math.abs(stops[best] - value)) best = at;
  return best;
};
/** The stop `by` places from a value, at the ends the last one. */
export const next = (stops, value, by) => {
  const at = nearest(stops, value);
  const passed = typeof value === "number" && stops[at] !== value && Math.sign(stops[at] - value) === Math.sign(by) ? by - Math.sign(by) : by;
  return stops[Math.min(stops.length - 1, Math.max(0, at + passed))];
};

/** How a value is said: an option by its label, a number with its unit. */
export const said = (control, value) =>
  control.options ? (control.options.find(([option]) => String(option) === String(value))?.[1] ?? String(value)) : `${Number(value).toLocaleString("en-US")}${control.unit ? ` ${control.unit}` : ""}`;

/**
 * The field of a control with stops, which may depend on the state. `show(state)` sets it, `change(value)` is told
 * of every move. A number has a box beside the range in which any value may be typed.
 */
export const slider = (control, id, change) => {
  const range = make("input", { id, type: "range", min: 0, step: 1, class: "mw-i-range" });
  const typed = control.options
    ? make("output", { for: id, class: "mw-i-value" })
    : make("input", { id: `${id}-value`, name: control.key, class: "mw-i-value", type: "number", min: control.min, max: control.max, step: control.step ?? (control.whole ? 1 : "any"), inputmode: "decimal", required: true, "aria-label": `${control.label}, value` });
  let stops = [];
  range.addEventListener("input", (event) => {
    event.stopPropagation();
    change(stops[Number(range.value)]);
  });
  const show = (state, keepText = false) => {
    stops = control.stops instanceof Function ? control.stops(state) : control.stops;
    range.max = stops.length - 1;
    range.value = nearest(stops, state[control.key]);
    const text = said(control, state[control.key]);
    range.setAttribute("aria-valuetext", text);
    if (control.options) typed.textContent = text;
    else if (!keepText) typed.value = state[control.key];
  };
  return { range, typed, show, box: make("div", { class: "mw-i-slide" }, range, typed) };
};
