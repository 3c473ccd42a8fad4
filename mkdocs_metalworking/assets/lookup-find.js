import { plain } from "./plain.js";

const raw = (text) => text.toLowerCase().replace(/\(\)$/, "").trim();
const letters = (text) => {
  let mask = 0;
  for (let at = 0; at < text.length; at++) mask |= 1 << text.charCodeAt(at) % 31;
  return mask;
};
const count = (mask) => {
  let bits = 0;
  for (let left = mask; left; left &= left - 1) bits++;
  return bits;
};

const nameOf = (text, weight) => {
  const words = plain(text).split(" ").filter(Boolean);
  const squeezed = words.join("");
  return { raw: raw(text), words, squeezed, weight, mask: letters(squeezed), tails: words.slice(1).map((_, at) => words.slice(at + 1).join("")) };
};

/* The rows to search: one a term with all of its names, one a page. */
export const rowsOf = ({ pages, terms, from }) => {
  const rows = terms
    .filter(([source]) => source.toLowerCase() !== "none")
    .map(([source, target, verdict, url, note, aliases = [], also = []]) => {
      const names = [...source.split(/\s+\/\s+|;\s+/), ...(source.includes(" / ") ? [source] : [])];
      return {
        source, target, verdict, url, note,
        also,
        names: [...names.map((name) => nameOf(name, 1)), ...aliases.map((name) => nameOf(name, 0.99)), ...target.split(/\s+\/\s+|[,;]\s+/).map((name) => nameOf(name, 0.9))],
      };
    });
  for (const [url, [title, summary, term, verdict]] of Object.entries(pages)) {
    if (term) rows.push({ source: title, target: `${from}: ${term}`, verdict, url, note: summary, also: [], names: [nameOf(title, 0.97), nameOf(term, 0.95)], own: true });
  }
  for (const row of rows) {
    row.rest = plain(`${row.target} ${row.note}`);
    row.title = pages[row.url]?.[0] || "";
    row.verdict ||= pages[row.url]?.[3] || "";
  }
  return rows;
};

/* Edits from *query* to *name* and to a beginning of it: letters inserted, lost, changed, swapped; 3 is more than two.
   *work* counts cells. */
export const work = { cells: 0 };
const LINES = Array.from({ length: 3 }, () => new Uint8Array(64));
export const edits = (query, name) => {
  const columns = Math.min(name.length, query.length + 3, 60);
  let [before, last, line] = LINES;
  for (let column = 0; column <= columns; column++) last[column] = column;
  for (let row = 1; row <= query.length; row++) {
    let least = row;
    line.fill(9, 0, columns + 1);
    line[0] = row;
    const from = Math.max(1, row - 2); // two edits lead no further from the diagonal
    const to = Math.min(columns, row + 2);
    if (from > 1) line[from - 1] = 9;
    for (let column = from; column <= to; column++) {
      work.cells++;
      const swap = row > 1 && column > 1 && query[row - 1] === name[column - 2] && query[row - 2] === name[column - 1];
      let cost = last[column - 1] + (query[row - 1] === name[column - 1] ? 0 : 1);
      if (last[column] + 1 < cost) cost = last[column] + 1;
      if (line[column - 1] + 1 < cost) cost = line[column - 1] + 1;
      if (swap && before[column - 2] + 1 < cost) cost = before[column - 2] + 1;
      line[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > 2) return [3, 3];
    [before, last, line] = [last, line, before];
  }
  let beginning = 3;
  for (let column = 0; column <= columns; column++) beginning = Math.min(beginning, last[column]);
  return [columns < name.length ? 3 : Math.min(3, last[columns]), beginning];
};

const swapped = (query, name) => query.length === name.length && [...query].sort().join("") === [...name].sort().join("");

const fits = (name, query) => {
  const { squeezed, words } = query;
  if (query.mask & ~name.mask) return 0; // a letter that the name has not
  if (name.raw === query.raw) return 100;
  if (name.squeezed === squeezed) return name.words.length === words.length ? 99 : 98;
  if (name.words.length === words.length && words.every((word) => name.words.includes(word))) return 90;
  if (name.squeezed.startsWith(squeezed)) return 60 + (25 * squeezed.length) / name.squeezed.length;
  for (const tail of name.tails) {
    if (tail === squeezed) return 84;
    if (tail.startsWith(squeezed)) return 55 + (20 * squeezed.length) / name.squeezed.length;
  }
  if (words.every((word) => name.words.some((part) => part.startsWith(word)))) return 58 + (10 * squeezed.length) / name.squeezed.length;
  if (squeezed.length > 2 && name.squeezed.includes(squeezed)) return 40 + (10 * squeezed.length) / name.squeezed.length;
  return 0;
};

const nearly = (name, { squeezed, mask }) => {
  const allowed = squeezed.length > 5 ? 2 : 1;
  const longer = name.squeezed.length - squeezed.length;
  const begins = squeezed.length > 5 && longer > 0 && name.squeezed[0] === squeezed[0];
  if (longer < -allowed || (longer > allowed && !begins) || count(mask & ~name.mask) > allowed) return 0;
  const [whole, beginning] = edits(squeezed, name.squeezed);
  if (whole <= allowed) return whole === 1 ? (swapped(squeezed, name.squeezed) ? 78 : 66) : 56;
  return begins && beginning <= allowed ? 46 - 4 * beginning : 0;
};

const best = (measure, row, query) => {
  let most = 0;
  for (const name of row.names) most = Math.max(most, name.weight * measure(name, query));
  return most;
};

/* The first of *found* by points, a page by itself only where no term leads to it. */
const firsts = (found, most) => {
  const seen = new Set();
  const answers = [];
  for (const pair of found.sort((a, b) => b[0] - a[0])) {
    const { own, url } = pair[1];
    if (own && seen.has(url)) continue;
    seen.add(url);
    if (answers.push(pair) === most) break;
  }
  return answers;
};

/* Points by row, kept: a keystroke that leaves nothing behind never waits for a collection. */
let points = new Float64Array(0);

/* The rows that answer *text*, with points, the best first. */
export const ranked = (rows, text, most = 12) => {
  const words = plain(text).split(" ").filter(Boolean);
  if (!words.length) return [];
  const squeezed = words.join("");
  const query = { raw: raw(text), words, squeezed, mask: letters(squeezed) };
  if (points.length < rows.length) points = new Float64Array(rows.length);
  let highest = 0;
  for (let at = 0; at < rows.length; at++) {
    points[at] = best(fits, rows[at], query);
    if (points[at] > highest) highest = points[at];
  }
  if (squeezed.length > 3 && highest <= 80) {
    for (let at = 0; at < rows.length; at++) points[at] = Math.max(points[at], best(nearly, rows[at], query));
  }
  const found = [];
  for (let at = 0; at < rows.length; at++) if (points[at]) found.push([points[at], rows[at]]);
  const answers = firsts(found, most);
  if (answers.length === most) return answers;
  // Where names do not fill the list, what is said of a term counts too, below all of them.
  for (let at = 0; at < rows.length; at++) {
    if (!points[at] && words.every((word) => rows[at].rest.includes(word))) found.push([20, rows[at]]);
  }
  return firsts(found, most);
};

export const find = (rows, text, most = 12) => ranked(rows, text, most).map(([, row]) => row);
