/* What the book adds to the plugin's scripts: marks on links that lead outside, and keys for what scrolls. */
import { onPage, root } from "../metalworking/base.js";

/* What scrolls sideways must be reachable by keyboard. */
const reachable = () => {
  for (const el of document.querySelectorAll(".mw-diagram,article pre>code,.md-typeset__scrollwrap")) {
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
