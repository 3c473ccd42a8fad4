/* The table of terms: rows open, by a button or by address; on a phone the groups are folded. */
import { labels, make, onPage, target as named } from "./base.js";

const phone = matchMedia("(max-width:44.98em)");

const toggle = (row, open = !row.classList.contains("mw-shown")) => {
  row.classList.toggle("mw-shown", open);
  row.querySelector(".mw-open")?.setAttribute("aria-expanded", String(open));
  for (const code of row.querySelectorAll("pre code")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
};

const unfold = (table, open = true) => {
  table.classList.toggle("mw-unfolded", open);
  table.previousElementSibling?.querySelector(".mw-fold-group")?.setAttribute("aria-expanded", String(open));
};

const arrive = () => {
  const target = named();
  if (!target?.closest?.(".mw-mapping")) return;
  unfold(target.closest("table") || target.nextElementSibling);
  if (target.matches("tbody")) toggle(target, true);
  (target.querySelector("th") || target).scrollIntoView();
};

const prepare = (holder) => {
  if (holder.dataset.ready) return;
  holder.dataset.ready = "1";
  for (const row of holder.querySelectorAll("tbody")) {
    const more = row.querySelector(".mw-more");
    if (!more) continue;
    more.id = `${row.id}-more`;
    const button = make("button", "mw-open");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", more.id);
    button.setAttribute("aria-label", labels.open_row);
    row.querySelector("th").prepend(button);
  }
  for (const heading of holder.querySelectorAll(":scope>h3")) {
    const button = make("button", "mw-fold-group");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.append(...[...heading.childNodes].filter((node) => !node.classList?.contains("headerlink")));
    heading.prepend(button);
  }
  holder.classList.toggle("mw-folded", phone.matches);
  holder.addEventListener("click", (event) => {
    const opener = event.target.closest(".mw-open");
    const group = event.target.closest(".mw-fold-group");
    if (opener) toggle(opener.closest("tbody"));
    else if (group && holder.classList.contains("mw-folded")) {
      const table = group.parentElement.nextElementSibling;
      unfold(table, !table.classList.contains("mw-unfolded"));
    } else if (event.target.closest(".mw-jump a,.mw-anchor")) setTimeout(arrive);
  });
};

phone.addEventListener("change", () => {
  for (const holder of document.querySelectorAll(".mw-mapping")) holder.classList.toggle("mw-folded", phone.matches);
});
addEventListener("hashchange", arrive);
onPage(() => {
  document.querySelectorAll(".mw-mapping").forEach(prepare);
  arrive();
});
