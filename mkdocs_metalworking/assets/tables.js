/* Tables that sort by a click on their head. */
import { make, onPage } from "./base.js";

const MINUS = /\u2212/g;
const NUMBER = /^[~≈<>≤≥]?\s*([-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)(?:\s*[×·]\s*(\d+))?(?:\^([-+]?\d+))?/i;

/* The words of a cell, without the signs of footnotes; a power has its sign: 10^12 would be 1012. */
const wordsOf = (cell) => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".footnote-ref").forEach((link) => (link.closest("sup") ?? link).remove());
  copy.querySelectorAll("sup").forEach((power) => power.prepend("^"));
  return copy.textContent.trim();
};

/* The number with which a text begins, of a range the first one: 5 of "5–9 ns", 3e12 of "3 × 10^12". */
const numberOf = (text) => {
  const [found, first, base, power] = text.replace(MINUS, "-").match(NUMBER) ?? [];
  if (!found) return NaN;
  const number = parseFloat(first.replaceAll(",", ""));
  return power ? (base ? number * base ** power : number ** power) : number;
};

/* Sortable tables: numbers as numbers, the author's order a third click away. */
const sortable = (table) => {
  const body = table.tBodies[0];
  if (!body || table.querySelector("th button")) return;
  const rows = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = make("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { undefined: "ascending", ascending: "descending", descending: "" }[head.getAttribute("aria-sort") ?? "undefined"];
      table.querySelectorAll("th[aria-sort]").forEach((el) => el.removeAttribute("aria-sort"));
      if (next) head.setAttribute("aria-sort", next);
      const texts = new Map(rows.map((row) => [row, row.cells[column] ? wordsOf(row.cells[column]) : ""]));
      const compare = (a, b) => {
        const [x, y] = [numberOf(texts.get(a)), numberOf(texts.get(b))];
        return Number.isNaN(x) || Number.isNaN(y) ? texts.get(a).localeCompare(texts.get(b), undefined, { numeric: true }) : x - y;
      };
      const sorted = next ? [...rows].sort(compare) : rows;
      if (next === "descending") sorted.reverse();
      body.append(...sorted);
    });
  });
};

onPage(() => document.querySelectorAll(".mw-sortable table").forEach(sortable));
