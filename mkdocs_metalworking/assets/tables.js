/* Tables that sort by a click on their head, and the filter above the mapping table. */
import { labels, make, onPage } from "./base.js";

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
document.addEventListener("input", (event) => {
  if (!event.target.matches?.("[data-mw-filter]")) return;
  const holder = event.target.closest(".mw-mapping");
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const part of holder.querySelectorAll(".mw-sortable")) {
    let left = 0;
    for (const row of part.querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) left++;
    }
    part.hidden = !left;
    const title = part.previousElementSibling;
    if (title && /^H\d$/.test(title.tagName)) title.hidden = !left;
    count += left;
  }
  holder.querySelector("output").textContent = (count === 1 ? labels.row : labels.rows).replace("{n}", count);
});

onPage(() => document.querySelectorAll(".mw-sortable table").forEach(sortable));
