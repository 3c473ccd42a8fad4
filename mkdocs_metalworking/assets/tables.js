/* Tables that sort by a click on their head; the author's order is a third click away. */
import { make, onPage } from "./base.js";

const sortable = (table) => {
  const body = table.tBodies[0];
  if (!body || table.querySelector("th button")) return;
  const rows = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = make("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", async () => {
      const { sorted } = await import("./sort.js");
      const next = { undefined: "ascending", ascending: "descending", descending: "" }[head.getAttribute("aria-sort") ?? "undefined"];
      table.querySelectorAll("th[aria-sort]").forEach((el) => el.removeAttribute("aria-sort"));
      if (next) head.setAttribute("aria-sort", next);
      const shown = next ? sorted(rows, column) : rows;
      body.append(...(next === "descending" ? shown.reverse() : shown));
    });
  });
};

onPage(() => document.querySelectorAll(".mw-sortable table").forEach(sortable));
