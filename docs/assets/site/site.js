/* What the book adds to the plugin's scripts: marks on links that lead outside, and keys for what scrolls. */
import { onPage, root } from "../metalworking/base.js";

/* What scrolls sideways must be reachable by keyboard. */
const reachable = () => {
  for (const el of document.querySelectorAll(".mw-diagram,article pre>code,.md-typeset__scrollwrap,.tabbed-labels")) {
    if (el.scrollWidth > el.clientWidth + 1) el.tabIndex = 0;
  }
};
addEventListener("resize", () => requestAnimationFrame(reachable));

onPage(() => {
  for (const link of document.querySelectorAll("article p a[href^=http]")) {
    if (new URL(link.href).origin !== root.origin && !link.closest(".mw-caption,.mw-cite")) link.classList.add("mw-out");
  }
  reachable();
});

onPage(() => {
  if (document.querySelector("[data-mw-near]")) import("./near.js");
});

/* The address names the section in view, of the page that is there: Material's own names that of the page before. */
const tracked = () => {
  if (location.hash.startsWith("#--") || location.hash.startsWith("#fn")) return;
  const passed = [...document.querySelectorAll("article :is(h2,h3)[id]")].filter((el) => el.getBoundingClientRect().top < innerHeight / 3);
  const hash = passed.length ? `#${passed.at(-1).id}` : "";
  if (hash !== location.hash && scrollY + innerHeight < document.documentElement.scrollHeight - 1) {
    history.replaceState(history.state, "", location.pathname + location.search + hash);
  }
};
let settled = 0;
addEventListener("scroll", () => {
  clearTimeout(settled);
  settled = setTimeout(tracked, 200);
}, { passive: true });

/* Material notes a tenth of a second late where a page stands: after a click on a link, the next one. */
let leaving = false;
const { pushState, replaceState } = history;
history.pushState = (state, unused, url) => {
  leaving ||= new URL(url ?? location, location).pathname !== location.pathname;
  pushState.call(history, state, unused, url);
};
history.replaceState = (state, unused, ...url) => {
  if (!(leaving && state && "y" in state)) replaceState.call(history, state, unused, ...url);
};

onPage(() => {
  setTimeout(() => (leaving = false)); // Material scrolls first
  clearTimeout(settled);
  if (document.querySelector(".footnote-ref")) import("./citations.js");
  if (document.querySelector("article .highlight pre>code")) import("./fences.js");
  if (document.querySelector("[data-mw-morph]")) import("./morph.js");
});
