/* Terms above the results of Material's search: the same answers as the lookup's, spelling mistakes and all; below a
   result, the lines of code that were found. */
import { labels, lookup, make, root } from "./base.js";
import { ranked, rowsOf } from "./lookup-find.js";
import { showLines } from "./search-code.js";

const SURE = 88;
let rows;
const load = async () => (rows ||= rowsOf(await lookup()));

const boxOf = (field) => {
  const results = field.closest(".md-search")?.querySelector("[data-md-component=search-result]");
  if (!results) return null;
  let box = results.parentElement.querySelector(".mw-search-terms");
  if (!box) {
    box = make("nav", "mw-search-terms");
    box.setAttribute("aria-label", labels.terms);
    results.before(box);
  }
  return box;
};

/* Material adds results as one scrolls. */
const watched = new WeakSet();
const watch = (field) => {
  const list = field.closest(".md-search")?.querySelector(".md-search-result__list");
  if (!list) return;
  showLines(list, field.value);
  if (watched.has(list)) return;
  watched.add(list);
  new MutationObserver(() => showLines(list, field.value)).observe(list, { childList: true });
};

const draw = async (field) => {
  const text = field.value;
  watch(field);
  await load();
  const box = text === field.value && boxOf(field);
  // One key is heard as input and as keyup.
  if (!box || box.dataset.text === text) return;
  box.dataset.text = text;
  const found = ranked(rows, text, 3).filter(([points, row]) => points > 30 && row.url);
  box.dataset.sure = String(found[0]?.[0] >= SURE);
  box.replaceChildren(
    ...found.map(([, row]) => {
      const link = make("a", row.verdict ? `mw-v-${row.verdict}` : "");
      link.href = new URL(row.url, root);
      link.append(make("b", "", row.source), make("span", "", row.title || row.target));
      return link;
    }),
  );
};

const QUERY = "[data-md-component=search-query]";
if (document.activeElement.matches(QUERY)) draw(document.activeElement);
for (const kind of ["focusin", "input", "keyup"]) document.addEventListener(kind, (event) => event.target.matches?.(QUERY) && draw(event.target));
/* Enter goes to the term when the text names one; Material would go to its first result. */
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Enter" || !event.target.matches?.(QUERY)) return;
    const box = boxOf(event.target);
    if (box?.dataset.sure !== "true") return;
    event.preventDefault();
    event.stopPropagation();
    box.querySelector("a").click();
  },
  true,
);
