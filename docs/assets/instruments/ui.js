/* What the instruments and the Lab share: elements, numbers as text, tables, charts. */

const put = (el, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) el.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) el.setAttribute(name, value);
  }
  el.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return el;
};
/** An HTML element: make("p", { class: "x" }, "text", node). */
export const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
/** An SVG element. Only attributes and the d-* classes, never a style. */
export const draw = (tag, attributes = {}, ...children) => put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
/** A link that leaves the book. */
export const link = (href, ...text) => make("a", { href }, ...text);

/** 1234567.8 as 1,230,000; small numbers keep their significant digits, tiny ones as powers. */
export const round = (value, digits = 3) => (value && Math.abs(value) < 1e-6 ? value.toExponential(digits - 1) : text(value, digits));
const text = (value, digits) => value.toLocaleString("en-US", { maximumSignificantDigits: digits });
/** A count, in full. */
export const count = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
/** A fixed number of digits behind the point. */
export const fixed = (value, digits) => value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const percent = (share) => `${share >= 0.995 || share < 0.1 ? round(share * 100, share < 0.1 ? 2 : 3) : Math.round(share * 100)}%`;
/** Bytes in powers of 1,024 or, past a mebibyte, in gigabytes of 10^9 where the page counts so. */
export const bytes = (value) => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1024 && at < units.length - 1) [value, at] = [value / 1024, at + 1];
  return at ? `${round(value, 4)} ${units[at]}` : `${count(value)} bytes`;
};
/** "1 group", "2 groups". */
export const some = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A table: heads, rows of cells (text or nodes), and the caption that names it. The first cell of a row heads it. */
export const table = (caption, heads, rows, { mark = () => false, numbers = true } = {}) =>
  make(
    "div",
    { class: "mw-i-scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      { class: `mw-i-table${numbers ? " mw-i-numbers" : ""}` },
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
      make(
        "tbody",
        {},
        rows.map((row, at) => make("tr", { class: mark(row, at) && "mw-i-mark" }, row.map((cell, place) => make(place ? "td" : "th", { scope: !place && "row" }, cell)))),
      ),
    ),
  );
/** Pairs of a name and what is known about it. */
export const facts = (pairs) =>
  make("dl", { class: "mw-i-facts" }, pairs.filter(Boolean).map(([name, value, why]) => make("div", {}, make("dt", {}, name), make("dd", {}, value, why && make("small", {}, why)))));

let figures = 0;
/** A chart with a title and a description for those who do not see it. */
export const chart = (width, height, title, description, ...children) => {
  const id = `mw-i-chart-${(figures += 1)}`;
  return draw(
    "svg",
    { class: "mw-svg", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": `${id}-t ${id}-d` },
    draw("title", { id: `${id}-t` }, title),
    draw("desc", { id: `${id}-d` }, description),
    ...children,
  );
};
/** A drawing inside a stage, which has the words for it. */
export const sheet = (width, height, ...children) => draw("svg", { class: "mw-svg", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...children);
export const label = (x, y, text, cls = "d-s") => draw("text", { x, y, class: cls }, text);
/** A horizontal bar with its value, for lists of bars on one scale. */
export const bars = (width, title, description, rows, most, { unit = "", limit = null } = {}) => {
  const narrow = width < 420;
  const left = narrow ? 2 : Math.min(190, width * 0.36);
  const right = 74;
  const scale = (value) => (Math.min(value, most) / most) * (width - left - right);
  const step = narrow ? 40 : 26;
  const top = limit ? 22 : 4;
  const height = top + rows.length * step + 4;
  const picture = chart(
    width, height, title, description,
    rows.map(([name, value, cls, text], at) => [
      narrow ? label(left, top + at * step + 12, name) : label(left - 8, top + at * step + 16, name, "d-s d-end"),
      draw("rect", { class: cls, x: left, y: top + (at + 1) * step - 23, width: Math.max(1, scale(value)), height: 18 }),
      label(left + scale(value) + 6, top + (at + 1) * step - 10, text ?? `${round(value)}${unit}`),
    ]),
    limit && [
      draw("path", { class: "d-dash", d: `M${left + scale(limit[0])} ${top - 4}V${height - 4}` }),
      label(left + scale(limit[0]), 13, limit[1], "d-s d-mid"),
    ],
  );
  return make("div", {}, make("p", { class: "mw-i-cap", "aria-hidden": "true" }, title), picture);
};

/** The value of a cell of that table, or null where the book has no source. */
export const cell = (row, name) => row?.[name] ?? null;

const styled = new Map();
/** Bring in a style sheet, once. */
export const style = (href = new URL("instruments.css", import.meta.url)) => {
  if (!styled.has(href.href)) {
    styled.set(
      href.href,
      new Promise((done) => {
        const sheet = make("link", { rel: "stylesheet", href });
        sheet.onload = sheet.onerror = done;
        // In the body, because instant navigation drops what it does not know from the head.
        document.body.append(sheet);
      }),
    );
  }
  return styled.get(href.href);
};

/** Stop with a sentence for the reader. */
export const wrong = (message) => Object.assign(new Error(message), { name: "Wrong" });
