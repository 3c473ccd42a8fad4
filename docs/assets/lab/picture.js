/* A probe's results as a picture: one row for each case, on a logarithmic scale, marks for each machine. */
import { chart, draw, label, round } from "../instruments/ui.js";

const SHAPES = {
  own: (x, y) => draw("circle", { class: "d-a", cx: x, cy: y, r: 6 }),
  h200: (x, y) => draw("rect", { class: "d-b", x: x - 5, y: y - 5, width: 10, height: 10 }),
  chip: (x, y) => draw("path", { class: "d-c", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z` }),
  linked: (x, y) => draw("path", { class: "d-d", d: `M${x} ${y - 7}l7 12h-14z` }),
};

/** The decades that hold all values: powers of ten around them. */
export const decades = (values) => {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
};

/**
 * `rows` are { name, marks: { own, h200, chip, linked }, spread, note }; `series` names the machines by mark. Null where
 * there is nothing to draw.
 */
export const picture = (width, title, unit, rows, series) => {
  const values = rows.flatMap((row) => [...Object.values(row.marks), ...(row.spread ?? [])]).filter((value) => value > 0);
  if (!values.length) return null;
  const [low, high] = decades(values);
  const narrow = width < 480;
  const left = narrow ? 10 : Math.min(270, width * 0.4);
  const right = 14;
  const step = narrow ? 46 : 28;
  const shown = Object.entries(series).filter(([mark]) => rows.some((row) => row.marks[mark] > 0));
  const legend = narrow ? shown.length * 20 : 22;
  const top = 22;
  const height = top + rows.length * step + legend + 12;
  const x = (value) => left + ((Math.log10(value) - low) / (high - low)) * (width - left - right);
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => low + at);
  const said = (value) => `${round(value)} ${unit}`;
  const description = rows
    .map((row) => {
      const told = shown.filter(([mark]) => row.marks[mark] > 0).map(([mark, name]) => `${name} ${said(row.marks[mark])}`);
      return `${row.name}: ${told.join(", ") || row.note || "no number"}.`;
    })
    .join(" ");
  let at = narrow ? 6 : left;
  return chart(
    width,
    height,
    `${title}, ${unit}, logarithmic scale`,
    description,
    ticks.map((power) => [
      draw("path", { class: "d-grid", d: `M${x(10 ** power)} ${top}V${top + rows.length * step}` }),
      label(x(10 ** power), 14, (10 ** power).toLocaleString("en-US"), power === low ? "d-s" : power === high ? "d-s d-end" : "d-s d-mid"),
    ]),
    rows.map((row, place) => {
      const y = top + (place + 1) * step - (narrow ? 13 : 12);
      return [
        narrow ? label(left + 6, y - 14, row.name) : label(left - 14, y + 4, row.name, "d-s d-end"),
        row.spread && draw("path", { class: "d-line", d: `M${x(row.spread[0])} ${y}H${x(row.spread[1])}M${x(row.spread[0])} ${y - 5}v10M${x(row.spread[1])} ${y - 5}v10` }),
        row.note && label(x(10 ** low) + 8, y + 4, row.note),
        Object.keys(SHAPES).reverse().map((mark) => row.marks[mark] > 0 && SHAPES[mark](x(row.marks[mark]), y)),
      ];
    }),
    shown.map(([mark, name], place) => {
      const y = top + rows.length * step + 16 + (narrow ? place * 20 : 0);
      const key = [SHAPES[mark](at + 8, y), label(at + 20, y + 4, name)];
      if (!narrow) at += 34 + name.length * 6.6;
      return key;
    }),
  );
};
