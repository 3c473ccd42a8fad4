/* What a click on the head of a table compares: brought in by the first one. */
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

/* Rows in the order of what people read in a column. */
export const sorted = (rows, column) => {
  const texts = new Map(rows.map((row) => [row, row.cells[column] ? wordsOf(row.cells[column]) : ""]));
  return [...rows].sort((a, b) => {
    const [x, y] = [numberOf(texts.get(a)), numberOf(texts.get(b))];
    return Number.isNaN(x) || Number.isNaN(y) ? texts.get(a).localeCompare(texts.get(b), undefined, { numeric: true }) : x - y;
  });
};
