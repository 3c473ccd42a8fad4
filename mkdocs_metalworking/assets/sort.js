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

const keyed = (row, column) => {
  const text = row.cells[column] ? wordsOf(row.cells[column]) : "";
  return { row, text, number: numberOf(text) };
};

/* Rows in the order of what people read in a column, numbers as numbers. */
export const sorted = (rows, column) =>
  rows
    .map((row) => keyed(row, column))
    .sort((a, b) =>
      Number.isNaN(a.number) || Number.isNaN(b.number) ? a.text.localeCompare(b.text, undefined, { numeric: true }) : a.number - b.number,
    )
    .map(({ row }) => row);
