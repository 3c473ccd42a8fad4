/* A line note lights its lines, a line its notes. */
import { linesOf, onPage, target as named } from "./base.js";

const NOTES = ".mw-note[data-lines],.mw-under";
const numberOf = (line) => Number(line.firstElementChild?.dataset.n);
const own = (figure, selector) => [...figure.querySelectorAll(selector)].filter((el) => el.parentElement.closest(".mw-excerpt") === figure);
const rangesOf = (note) => note.dataset.lines.split(" ").map((part) => part.split("-").map(Number));
const holds = (ranges, first, last = first) => ranges.some(([a, b]) => a <= last && b >= first);
let lit = null;
const light = (figure, ranges) => {
  const key = figure && ranges.join();
  if (lit && (lit.figure !== figure || lit.key !== key)) lit.figure.querySelectorAll(".mw-on").forEach((el) => el.classList.remove("mw-on"));
  if (!figure) return (lit = null);
  lit = { figure, key };
  for (const line of linesOf(figure)) {
    if (holds(ranges, numberOf(line))) line.classList.add("mw-on");
  }
  for (const note of own(figure, NOTES)) {
    if (rangesOf(note).some(([a, b]) => holds(ranges, a, b))) note.classList.add("mw-on");
  }
};
const touched = (event) => {
  const target = event.target;
  const note = target.closest?.(NOTES);
  const line = note ? null : target.closest?.(".mw-l");
  const figure = (note || line)?.closest("figure.mw-excerpt");
  if (!figure?.querySelector(".mw-note")) return light(null);
  if (note) return light(figure, rangesOf(note));
  const n = numberOf(line);
  const noted = own(figure, NOTES).some((el) => holds(rangesOf(el), n));
  light(noted && figure, [[n, n]]);
};
for (const type of ["pointerover", "focusin", "click"]) document.addEventListener(type, touched);

/* What was lit comes into view. */
document.addEventListener("click", (event) => {
  const target = event.target;
  const figure = lit?.figure;
  if (!figure?.contains(target) || target.closest("a[href],button")) return;
  const part = target.closest(NOTES) ? ".mw-l.mw-on" : ".mw-under.mw-on,.mw-note.mw-on";
  [...figure.querySelectorAll(part)].find((el) => el.offsetParent)?.scrollIntoView({ block: "nearest" });
});

/* Notes that have no room beside the code stand under the last of their lines. */
const below = (figure) => figure.querySelector(":scope>.mw-notes").offsetTop > figure.querySelector(".mw-code-block").offsetTop + 1;
const between = (figure) => {
  const lines = new Map(linesOf(figure).map((line) => [numberOf(line), line]));
  [...figure.querySelector(":scope>.mw-notes").children].forEach((note, at) => {
    const made = document.createElement("span");
    made.className = `mw-under mw-u${at + 1}`;
    made.setAttribute("role", "note");
    made.dataset.lines = note.dataset.lines;
    made.append(...note.childNodes);
    let last = lines.get(rangesOf(note).at(-1)[1]);
    while (last.nextElementSibling?.matches(".mw-under")) last = last.nextElementSibling;
    last.after(made);
  });
};
const beside = (figure) =>
  [...figure.querySelector(":scope>.mw-notes").children].forEach((note, at) => {
    const [made] = own(figure, `.mw-u${at + 1}`);
    note.append(...made.childNodes);
    made.remove();
  });
let landing = true;
for (const type of ["wheel", "pointerdown", "keydown"]) addEventListener(type, () => (landing = false), { once: true });
const place = (figure) => {
  if (figure.querySelector(":scope>.mw-fold:not([open])")) return;
  const was = figure.classList.contains("mw-between");
  figure.classList.remove("mw-between");
  const now = below(figure);
  if (now !== was) (now ? between : beside)(figure);
  figure.classList.toggle("mw-between", now);
  if (now && landing) document.querySelector(".mw-l:target")?.scrollIntoView();
};
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => place(target)));

/* A link to a line opens what hides it: a closed excerpt, a tab that is not chosen. */
const reveal = () => {
  const target = named();
  for (let el = target; el; el = el.parentElement) {
    const tab = el.matches(".tabbed-block") && el.closest(".tabbed-set").children[[...el.parentElement.children].indexOf(el)];
    if (el.matches("details:not([open])")) el.open = true;
    else if (tab?.checked === false) tab.click();
    else continue;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", reveal);

const watch = () => {
  for (const note of document.querySelectorAll(".mw-excerpt:not(.mw-card)>.mw-notes>[data-lines]:first-child")) {
    const figure = note.closest("figure");
    place(figure);
    sizes.observe(figure);
  }
};
watch(); // at once: Material tells of a page only when all of it is there, and it may be drawn before
onPage(() => {
  light(null);
  watch();
  reveal();
});
