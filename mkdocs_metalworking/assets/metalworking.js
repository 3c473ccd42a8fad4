/* Brings in the module of each thing that a page has; a page that has none loads nothing more. */
import { asked, onPage } from "./base.js";

const PARTS = {
  copy: () => document.querySelector("figure.mw-excerpt:not(.mw-card)"),
  notes: () => document.querySelector(".mw-note,.mw-l"),
  quantities: () => document.querySelector(".mw-quantity"),
  tables: () => document.querySelector(".mw-sortable"),
  lookup: () => asked.has("lookup"),
  previews: () => asked.has("previews"),
};
const loaded = new Set();

onPage(() => {
  for (const [name, wanted] of Object.entries(PARTS)) {
    if (!loaded.has(name) && wanted()) {
      loaded.add(name);
      import(`./${name}.js`);
    }
  }
});
