/* Scales and curves of the drawings. */
import { draw, label } from "./ui.js";

/** A scale from values to units of the view box and back. Values outside are held at its ends. */
export const scale = (kind, [low, high], [from, to]) => {
  const log = kind === "log";
  const f = log ? Math.log : (value) => value;
  const part = (value) => (f(Math.min(high, Math.max(low, value))) - f(low)) / (f(high) - f(low));
  return {
    low, high, from, to,
    at: (value) => from + part(value) * (to - from),
    of(place) {
      const share = Math.min(1, Math.max(0, (place - from) / (to - from)));
      return log ? low * (high / low) ** share : low + share * (high - low);
    },
  };
};
/** Round steps on a linear scale, powers of ten on a logarithmic one. */
export const ticks = (low, high, kind, most = 5) => {
  const list = [];
  if (kind === "log") {
    let step = 1;
    while (Math.log10(high / low) / step > most) step += 1;
    for (let at = Math.ceil(Math.log10(low) - 1e-9); at <= Math.log10(high) + 1e-9; at += step) list.push(10 ** at);
    return list;
  }
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((one) => one * power >= raw) * power;
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-9); at += 1) list.push(at * step);
  return list;
};
/** 1500000 as 1.5M, small numbers as they are. */
export const short = (value) => value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });
/** Lines and numbers of both scales. */
export const grid = (x, y, xTicks, yTicks, say = short) => [
  xTicks.map((tick) => [draw("path", { class: "d-grid", d: `M${x.at(tick)} ${y.to}V${y.from}` }), label(x.at(tick), y.from + 16, say(tick), "d-s d-mid")]),
  yTicks.map((tick) => [draw("path", { class: "d-grid", d: `M${x.from} ${y.at(tick)}H${x.to}` }), label(x.from - 6, y.at(tick) + 4, say(tick), "d-s d-end")]),
];
/** The path of y = f(x), at so many places; where f has no value it is broken. */
export const curve = (x, y, f, places = 60) => {
  let path = "";
  let pen = "M";
  for (let at = 0; at <= places; at += 1) {
    const place = x.from + ((x.to - x.from) * at) / places;
    const value = f(x.of(place));
    if (value === null || !Number.isFinite(value)) pen = "M";
    else {
      path += `${pen}${place.toFixed(1)} ${y.at(value).toFixed(1)}`;
      pen = "L";
    }
  }
  return path;
};
/** Heights of labels, moved apart so that none touches another: each {y, ...}, the given order kept. */
export const apart = (list, gap = 14) => {
  const sorted = [...list].sort((a, b) => b.y - a.y);
  sorted.forEach((one, at) => {
    if (at) one.y = Math.min(one.y, sorted[at - 1].y - gap);
  });
  return list;
};
