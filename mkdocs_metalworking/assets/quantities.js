/* What is known of a number, on hover, on focus and on a tap: conditions, kind of evidence, and where else it is used. */
import { data, labels, make, onPage, root } from "./base.js";
import { tooltip } from "./tooltip.js";

const known = data("quantities.json", {});
const here = () => location.pathname.replace(/index\.html$/, "");
const tell = async (number) => {
  const found = (await known())[number.dataset.key];
  if (!found) return null;
  const parts = [make("b", "", found.text)];
  if (found.about) parts.push(make("span", "", found.about));
  const others = found.uses.filter(([, url]) => new URL(url, root).pathname !== here());
  if (others.length) {
    const line = make("span", "", `${labels.used_on} `);
    others.forEach(([title, url], at) => {
      const link = make("a", "", title);
      link.href = new URL(url, root).href;
      line.append(at ? ", " : "", link);
    });
    parts.push(line);
  }
  return ["mw-preview mw-quantity-tip", ...parts];
};
/* A number inside a link or a heading is that link's and that heading's. */
const numberAt = (event) => {
  const number = event.target.closest?.(".mw-quantity");
  return number && !number.closest("a,h1,h2,h3,h4,h5,h6") ? number : null;
};
const tip = tooltip("mw-quantity-tip", numberAt, tell);

document.addEventListener("click", (event) => {
  const number = numberAt(event);
  if (number && !tip.shows(number)) tip.show(number);
  else if (!tip.holds(event.target)) tip.hide();
});

onPage(() => {
  /* The title served those without this script; a number with a footnote can be reached by keyboard. */
  for (const number of document.querySelectorAll("abbr.mw-quantity[title]")) {
    number.removeAttribute("title");
    if (!number.closest("a,h1,h2,h3,h4,h5,h6")) number.tabIndex = 0;
  }
});
