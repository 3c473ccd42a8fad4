/* Citations where they are needed: in the margin of a wide screen, in a sheet at the bottom on touch. */
import { make, onPage } from "../metalworking/base.js";

const GAP = 8;
const FAR = 480;
const WIDE = "figure,.mw-callout,.md-typeset__scrollwrap,.mw-sortable,.highlight,.tabbed-set,.admonition,details,pre,.mw-mapping,.mw-sources,.mw-az,.mw-contents,.mw-place,.mw-linked-from,.footnote,[data-instrument],.mw-routes,.mw-facts";

const noteOf = (ref) => document.getElementById(decodeURIComponent(ref.hash.slice(1)));
/* What a footnote says, without its ids and the links back. */
const said = (note) => {
  const copy = note.cloneNode(true);
  for (const el of copy.querySelectorAll(".footnote-backref")) el.remove();
  for (const el of copy.querySelectorAll("[id]")) el.removeAttribute("id");
  return [...(copy.querySelector("p") || copy).childNodes];
};

/* One note a footnote, beside its first reference, below what stands there already and what is as wide as the page. */
const beside = (article) => {
  const margin = article.querySelector(":scope>.mw-side") || make("div", "mw-side");
  margin.replaceChildren();
  margin.setAttribute("aria-hidden", "true");
  article.append(margin);
  if (!margin.offsetParent) return;
  const top = article.getBoundingClientRect().top;
  const wide = [...article.children]
    .filter((el) => el !== margin && el.matches(WIDE))
    .map((el) => (el.matches(".md-typeset__scrollwrap,.mw-sortable") && el.querySelector("table")) || el)
    .map((el) => el.getBoundingClientRect())
    .filter((box) => box.right > margin.getBoundingClientRect().left)
    .map((box) => [box.top - top, box.bottom - top]);
  const end = article.offsetHeight;
  let free = 0;
  const seen = new Set();
  for (const ref of article.querySelectorAll(".footnote-ref")) {
    const block = ref.closest(".md-content__inner>*");
    const note = noteOf(ref);
    if (!note || seen.has(note) || block.matches(WIDE)) continue;
    const wanted = ref.getBoundingClientRect().top - top - 4;
    const made = make("p");
    made.append(make("b", "", ref.textContent), " ", ...said(note));
    for (const link of made.querySelectorAll("a")) link.tabIndex = -1;
    margin.append(made);
    const tall = made.offsetHeight + GAP;
    let at = Math.max(wanted, free);
    for (const [from, to] of wide) if (at + tall > from && at < to + GAP) at = to + GAP;
    if (at - wanted > FAR || at + tall > end) {
      made.remove();
      continue;
    }
    seen.add(note);
    made.style.top = `${at}px`;
    free = at + tall;
  }
};

let sheet;
const open = (ref, note) => {
  sheet ||= make("dialog", "mw-sheet md-typeset");
  const close = make("button", "mw-sheet-close", "Close");
  close.type = "button";
  close.addEventListener("click", () => sheet.close());
  const text = make("p");
  text.append(make("b", "", ref.textContent), " ", ...said(note));
  sheet.setAttribute("aria-label", `Source ${ref.textContent}`);
  sheet.replaceChildren(text, close);
  document.body.append(sheet);
  sheet.showModal();
};
let touched = false;
document.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"), true);
document.addEventListener("keydown", () => (touched = false), true);
document.addEventListener(
  "click",
  (event) => {
    if (event.target === sheet) return sheet.close();
    const ref = event.target.closest?.(".footnote-ref");
    const note = ref && touched && noteOf(ref);
    if (!note) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open(ref, note);
  },
  true,
);

const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => beside(target)));
onPage(() => {
  sheet?.close();
  sizes.disconnect();
  const article = document.querySelector(".md-content__inner");
  if (article?.querySelector(".footnote-ref")) sizes.observe(article);
});
