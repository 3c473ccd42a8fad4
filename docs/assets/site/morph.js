/* The fragment of the home page: its lines turn from CUDA into Metal, by themselves once, by a step, or by what is typed. */
import { onPage } from "../metalworking/base.js";

const PACE = 700;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const parts = () => {
  const figure = document.querySelector("[data-mw-morph]");
  return figure && { figure, lines: [...figure.querySelectorAll("li")], all: figure.querySelector("[data-mw-turn]") };
};
let timer = 0;
const turned = (line) => line.classList.contains("mw-turned");
const show = ({ lines, all }) => all.setAttribute("aria-pressed", String(lines.every(turned)));
/* Turns the next line; with none left, all of them back. */
const step = (found) => {
  const next = found.lines.find((line) => !turned(line));
  if (next) next.classList.add("mw-turned");
  else for (const line of found.lines) line.classList.remove("mw-turned");
  show(found);
};
const stop = () => clearInterval(timer);
const play = (found) => {
  stop();
  timer = setInterval(() => {
    if (!found.figure.isConnected || found.lines.every(turned)) stop();
    else step(found);
  }, PACE);
};

document.addEventListener("click", (event) => {
  const found = parts();
  if (!found?.figure.contains(event.target)) return;
  stop();
  if (event.target.closest("[data-mw-step]")) return step(found);
  if (event.target.closest("[data-mw-turn]")) {
    const on = !found.lines.every(turned);
    for (const line of found.lines) line.classList.toggle("mw-turned", on);
  } else if (!event.target.closest("a")) event.target.closest("li")?.classList.toggle("mw-turned");
  show(found);
});
document.addEventListener("input", (event) => {
  const found = parts();
  const text = event.target.value?.trim().toLowerCase();
  if (!found || !text || text.length < 4 || !event.target.closest("[data-mw-lookup]")) return;
  stop();
  for (const line of found.lines) line.classList.toggle("mw-turned", line.textContent.toLowerCase().includes(text));
  show(found);
});

onPage(() => {
  stop();
  const found = parts();
  if (!found) return;
  if (!still.matches) play(found); // else the style sheet shows both languages, and nothing moves
});
