/* What is known of a number, on hover, on focus and on a tap: conditions, kind of evidence, and where else it is used. */
import { labels, make, onPage, root } from "./base.js";

let loading;
const data = () =>
  (loading ||= fetch(new URL("quantities.json", import.meta.url))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .catch(() => {
      loading = null;
      return {};
    }));

const tip = make("div", "mw-preview mw-quantity-tip");
tip.id = "mw-quantity-tip";
tip.setAttribute("role", "tooltip");
tip.hidden = true;
let anchor = null;
let timer = 0;

const hide = () => {
  clearTimeout(timer);
  anchor?.removeAttribute("aria-describedby");
  anchor = null;
  tip.hidden = true;
};
const later = (run, wait) => {
  clearTimeout(timer);
  timer = setTimeout(run, wait);
};
const here = () => location.pathname.replace(/index\.html$/, "");
const show = async (number) => {
  const found = (await data())[number.dataset.key];
  if (!found || !number.isConnected) return;
  hide();
  anchor = number;
  tip.replaceChildren(make("b", "", found.text));
  if (found.about) tip.append(make("span", "", found.about));
  const others = found.uses.filter(([, url]) => new URL(url, root).pathname !== here());
  if (others.length) {
    const line = make("span", "", `${labels.used_on} `);
    others.forEach(([title, url], at) => {
      const link = make("a", "", title);
      link.href = new URL(url, root).href;
      line.append(at ? ", " : "", link);
    });
    tip.append(line);
  }
  (document.querySelector("main") || document.body).append(tip);
  tip.hidden = false;
  number.setAttribute("aria-describedby", tip.id);
  const box = number.getClientRects()[0] || number.getBoundingClientRect();
  const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 12));
  const below = box.bottom + 6 + tip.offsetHeight < innerHeight || box.top < tip.offsetHeight + 60;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + scrollY}px`;
};
/* A number inside a link or a heading is that link's and that heading's. */
const numberAt = (event) => {
  const number = event.target.closest?.(".mw-quantity");
  return number && !number.closest("a,h1,h2,h3,h4,h5,h6") ? number : null;
};

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const number = numberAt(event);
  if (number) {
    if (number === anchor) clearTimeout(timer);
    else later(() => show(number), 220);
  } else if (tip.contains(event.target)) clearTimeout(timer);
  else if (anchor !== document.activeElement) later(hide, 200);
});
document.addEventListener("focusin", (event) => {
  const number = numberAt(event);
  if (number?.matches(":focus-visible")) show(number);
  else if (anchor && !tip.contains(event.target)) hide();
});
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
document.addEventListener("click", (event) => {
  const number = numberAt(event);
  if (number && number !== anchor) show(number);
  else if (!tip.contains(event.target)) hide();
});

onPage(() => {
  hide();
  /* The title served those without this script; a number with a footnote can be reached by keyboard. */
  for (const number of document.querySelectorAll("abbr.mw-quantity[title]")) {
    number.removeAttribute("title");
    if (!number.closest("a,h1,h2,h3,h4,h5,h6")) number.tabIndex = 0;
  }
});
