/* Brings in the module of each thing that a page has or a reader asks for. */
import { asked, editing, onPage, separator } from "./base.js";

const PARTS = {
  copy: () => document.querySelector("figure.mw-excerpt:not(.mw-card)"),
  notes: () => document.querySelector(".mw-note,.mw-l"),
  quantities: () => document.querySelector(".mw-quantity"),
  tables: () => document.querySelector(".mw-sortable"),
  filter: () => document.querySelector("[data-mw-filter]"),
  terms: () => document.querySelector(".mw-mapping"),
  marked: () => separator && new URLSearchParams(location.search).get("h") && document.querySelector("figure.mw-excerpt"),
};
const loaded = new Map();

const bring = () => {
  for (const [name, wanted] of Object.entries(PARTS)) {
    if (!loaded.has(name) && wanted()) {
      loaded.set(name, import(`./${name}.js`));
    }
  }
};
onPage(bring);
if (separator) window.location$?.subscribe(bring);

/* Previews: from the first link on that is pointed at or focused; where one may tap, before it. */
if (asked.has("previews")) {
  const begin = (event) => {
    if (event && !event.target.closest?.("article a[href]")) return;
    for (const kind of ["pointerover", "focusin"]) document.removeEventListener(kind, begin);
    const part = import("./previews.js");
    loaded.set("previews", part);
    part.then((previews) => event && previews.at(event));
  };
  if (matchMedia("(any-pointer:coarse)").matches) begin();
  else for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, begin);
}

/* Resolves when the modules that this page was seen to need are at work. */
export const ready = () => Promise.all(loaded.values());

/* The lookup in its place or as a dialog, and terms above the results of the search: brought in when first used. */
if (asked.has("lookup")) {
  const ask = (event) => {
    event.preventDefault();
    event.stopPropagation();
    import("./lookup.js").then((part) => part.ask());
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "c" && !event.metaKey && !event.ctrlKey && !event.altKey && !editing(document.activeElement)) ask(event);
  });
  const button = document.querySelector(".mw-ask");
  if (button) button.href = String(new URL(button.href));
  document.addEventListener("click", (event) => event.target.closest?.(".mw-ask") && !event.metaKey && !event.ctrlKey && ask(event), true);
  document.addEventListener("focusin", (event) => {
    const box = event.target.closest?.("[data-mw-lookup]");
    if (box) import("./lookup.js").then((part) => part.mount(box));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-mw-try]");
    if (button) import("./lookup.js").then((part) => part.attempt(button));
  });
  const searched = (field) => field?.matches?.("[data-md-component=search-query]") && import("./search.js");
  document.addEventListener("focusin", (event) => searched(event.target));
  searched(document.activeElement); // focused before this module was here
}
