/* Line notes and their lines, and links to lines. */
import { decoded, onPage } from "./base.js";

/* Line notes: a note lights its lines, a line lights its notes. */
const numberOf = (line) => Number(line.firstElementChild?.dataset.n);
const rangesOf = (note) => note.dataset.lines.split(" ").map((part) => part.split("-").map(Number));
const holds = (ranges, first, last = first) => ranges.some(([a, b]) => a <= last && b >= first);
let lit = null;
const light = (figure, ranges) => {
  const key = figure && ranges.join();
  if (lit && (lit.figure !== figure || lit.key !== key)) lit.figure.querySelectorAll(".mw-on").forEach((el) => el.classList.remove("mw-on"));
  if (!figure) return (lit = null);
  lit = { figure, key };
  for (const line of figure.querySelectorAll(".mw-l")) {
    if (holds(ranges, numberOf(line))) line.classList.add("mw-on");
  }
  for (const note of figure.querySelectorAll(".mw-note[data-lines]")) {
    if (rangesOf(note).some(([a, b]) => holds(ranges, a, b))) note.classList.add("mw-on");
  }
};
const touched = (event) => {
  const target = event.target;
  const note = target.closest?.(".mw-note[data-lines]");
  const line = note ? null : target.closest?.(".mw-l");
  const figure = (note || line)?.closest("figure.mw-excerpt");
  if (!figure?.querySelector(".mw-note")) return light(null);
  if (note) return light(figure, rangesOf(note));
  const n = numberOf(line);
  const noted = [...figure.querySelectorAll(".mw-note[data-lines]")].some((el) => holds(rangesOf(el), n));
  return noted ? light(figure, [[n, n]]) : light(null);
};
for (const type of ["pointerover", "focusin", "click"]) document.addEventListener(type, touched);

/* A link to a line inside a closed excerpt opens it. */
const reveal = () => {
  const target = location.hash.startsWith("#--") ? document.getElementById(decoded(location.hash.slice(1))) : null;
  const fold = target?.closest("details:not([open])");
  if (fold) {
    fold.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", reveal);

onPage(() => {
  light(null);
  reveal();
});
