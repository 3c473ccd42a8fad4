/* Tables that sort by a click on their head. */
import { make, onPage } from "./base.js";

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
      const value = (row) => row.cells[column]?.textContent.trim() ?? "";
      const number = (text) => (/^[-+~≈<>]?\s*[\d.,]+/.test(text) ? parseFloat(text.replace(/[^\d.eE-]/g, "")) : NaN);
      const compare = (a, b) => {
        const [x, y] = [number(value(a)), number(value(b))];
        return Number.isNaN(x) || Number.isNaN(y) ? value(a).localeCompare(value(b), undefined, { numeric: true }) : x - y;
      };
      const sorted = next ? [...rows].sort(compare) : rows;
      if (next === "descending") sorted.reverse();
      body.append(...sorted);
    });
  });
};

onPage(() => document.querySelectorAll(".mw-sortable table").forEach(sortable));
