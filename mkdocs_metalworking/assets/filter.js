/* The field that narrows a list, and offers what lies near when nothing is left. */
import { labels, lookup, make, onPage } from "./base.js";
import { plain } from "./plain.js";

const ITEMS = { "mw-mapping": "table.mw-terms>tbody", "mw-az": ":scope>ul>li", "mw-sources": ":scope>ul>li,:scope>.mw-source" };
const LISTS = Object.keys(ITEMS);
const texts = new WeakMap();
const squeeze = (text) => plain(text).replaceAll(" ", "");

const textOf = (item) => {
  if (!texts.has(item)) {
    texts.set(item, [item.textContent.toLowerCase(), squeeze(item.textContent)]);
  }
  return texts.get(item);
};

const narrow = async (holder) => {
  const name = LISTS.find((one) => holder.classList.contains(one));
  const field = holder.querySelector("[data-mw-filter]");
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdicts = [...holder.querySelectorAll("[data-mw-verdict][aria-pressed=true]")].map((one) => one.dataset.mwVerdict);
  const filtering = words.length > 0 || verdicts.length > 0;
  let count = 0;
  for (const item of holder.querySelectorAll(ITEMS[name])) {
    const [said, squeezed] = textOf(item);
    const fits = words.every((word) => said.includes(word) || (squeeze(word) && squeezed.includes(squeeze(word))));
    item.hidden = !fits || (verdicts.length > 0 && !verdicts.includes(item.dataset.verdict));
    if (!item.hidden) count++;
  }
  holder.classList.toggle("mw-filtering", filtering);
  headings(holder, ITEMS[name]);
  holder.querySelector("output").textContent = (count === 1 ? labels.row : labels.rows).replace("{n}", count);
  await nearest(holder, field, count === 0);
};

/* A heading stands where something is left under it. */
const headings = (holder, items) => {
  let heading;
  for (const part of holder.children) {
    if (/^H\d$/.test(part.tagName)) {
      heading = part;
      heading.hidden = true;
    } else if (!part.matches(".mw-filter,.mw-jump,.mw-az-jump,.mw-empty")) {
      const inside = part.matches(items) ? [part] : [...holder.querySelectorAll(items)].filter((item) => part.contains(item));
      const left = inside.some((item) => !item.hidden);
      if (inside.length) part.hidden = !left;
      if (heading && left) heading.hidden = false;
    }
  }
};

const nearest = async (holder, field, empty) => {
  const told = holder.querySelector(".mw-empty");
  told.hidden = !empty;
  if (!empty) return;
  const text = field.value;
  const [data, { find, rowsOf }] = await Promise.all([lookup(), import("./lookup-find.js")]);
  if (text !== field.value) return;
  const near = find(rowsOf(data), text, 5).filter((row) => !row.own);
  told.replaceChildren(make("span", "", near.length ? labels.near : labels.lookup_none));
  for (const row of near) {
    const button = make("button", "", row.source);
    button.type = "button";
    button.addEventListener("click", () => {
      field.value = row.source.split(" / ")[0];
      for (const pressed of holder.querySelectorAll("[data-mw-verdict]")) pressed.setAttribute("aria-pressed", "false");
      field.focus();
      narrow(holder);
    });
    told.append(" ", button);
  }
};

const holderOf = (el) => el.closest(LISTS.map((name) => `.${name}`).join());
document.addEventListener("input", (event) => event.target.matches?.("[data-mw-filter]") && narrow(holderOf(event.target)));
document.addEventListener("click", (event) => {
  const chip = event.target.closest?.("[data-mw-verdict]");
  if (!chip) return;
  chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
  narrow(holderOf(chip));
});
const measured = new ResizeObserver((entries) => {
  for (const { target } of entries) target.parentElement.style.setProperty("--mw-bar", `${target.offsetHeight}px`);
});

onPage(() => {
  for (const bar of document.querySelectorAll(".mw-filter")) measured.observe(bar);
  for (const field of document.querySelectorAll("[data-mw-filter]")) if (field.value) narrow(holderOf(field));
});
