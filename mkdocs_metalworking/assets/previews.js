/* Previews of links to pages of the site, on hover, on focus and on the first tap. */
import { labels, lookup, make, onPage, root } from "./base.js";

/* Previews of links to pages of the book. */
const tip = make("div", "mw-preview");
tip.id = "mw-preview";
tip.setAttribute("role", "tooltip");
tip.hidden = true;
let anchor = null;
let timer = 0;
const hide = () => {
  clearTimeout(timer);
  if (anchor) anchor.removeAttribute("aria-describedby");
  anchor = null;
  tip.hidden = true;
};
const pageOf = (link) => {
  const url = new URL(link.href, location.href);
  if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname) || url.pathname === location.pathname) return null;
  return url.pathname.slice(root.pathname.length).replace(/index\.html$/, "");
};
const linkAt = (event) => {
  const link = event.target.closest?.("article a[href]");
  return link && !link.closest(".mw-next,.mw-contents,.mw-az-jump,.headerlink") && pageOf(link) !== null ? link : null;
};
const show = async (link, touch) => {
  const { pages, verdicts, from } = await lookup();
  const found = pages[pageOf(link)];
  if (!found || !link.isConnected) return false;
  hide();
  anchor = link;
  const [title, summary, term, verdict] = found;
  tip.className = `mw-preview${verdict ? ` mw-v-${verdict}` : ""}`;
  tip.replaceChildren(make("b", "", title));
  if (summary) tip.append(make("span", "", summary));
  if (term) {
    const line = make("span");
    line.append(make("span", "mw-verdict", verdicts[verdict]), make("i", "", `${from}: ${term}`));
    line.lastChild.style.display = "inline";
    tip.append(line);
  }
  if (touch) tip.append(make("i", "", labels.tap));
  (document.querySelector("main") || document.body).append(tip);
  tip.hidden = false;
  link.setAttribute("aria-describedby", tip.id);
  const box = link.getClientRects()[0] || link.getBoundingClientRect();
  const width = tip.offsetWidth;
  const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - width - 12));
  const below = box.bottom + 6 + tip.offsetHeight < innerHeight || box.top < tip.offsetHeight + 60;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + scrollY}px`;
  return true;
};
const later = (run, wait) => {
  clearTimeout(timer);
  timer = setTimeout(run, wait);
};
let pointer = "mouse";
document.addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
const over = (event) => {
  if (event.pointerType === "touch") return;
  const link = linkAt(event);
  if (link) {
    if (link === anchor) clearTimeout(timer);
    else later(() => show(link), 220);
  } else if (tip.contains(event.target)) clearTimeout(timer);
  else if (anchor !== document.activeElement) later(hide, 200);
};
const focused = (event) => {
  const link = linkAt(event);
  if (link?.matches(":focus-visible") && pointer !== "touch") show(link);
  else if (anchor && !tip.contains(event.target)) hide();
};
document.addEventListener("pointerover", over);
document.addEventListener("focusin", focused);
/* The event that brought this module in. */
export const at = (event) => (event.type === "focusin" ? focused : over)(event);
document.addEventListener("keydown", (event) => {
  pointer = "key";
  if (event.key === "Escape") hide();
});
document.addEventListener(
  "click",
  (event) => {
    const link = linkAt(event);
    if (!link) return tip.contains(event.target) ? undefined : hide();
    if (pointer !== "touch" || link === anchor || event.metaKey || event.ctrlKey) return void setTimeout(hide);
    event.preventDefault();
    event.stopPropagation();
    const href = link.href;
    show(link, true).then((shown) => shown || location.assign(href));
  },
  true,
);

onPage(hide);
