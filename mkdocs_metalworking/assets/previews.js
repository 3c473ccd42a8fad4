/* Previews of links to pages of the site, on hover, on focus and on the first tap. */
import { labels, lookup, make, root } from "./base.js";
import { tooltip } from "./tooltip.js";

const pageOf = (link) => {
  const url = new URL(link.href, location.href);
  if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname) || url.pathname === location.pathname) return null;
  return url.pathname.slice(root.pathname.length).replace(/index\.html$/, "");
};
const linkAt = (event) => {
  const link = event.target.closest?.("article a[href]");
  return link && !link.closest(".mw-next,.mw-contents,.mw-az-jump,.headerlink") && pageOf(link) !== null ? link : null;
};
const tell = async (link) => {
  const { pages, verdicts, from } = await lookup();
  const page = pageOf(link);
  if (!Object.hasOwn(pages, page)) return null; // a file of the site may be called "constructor"
  const [title, summary, term, verdict] = pages[page];
  const parts = [make("b", "", title)];
  if (summary) parts.push(make("span", "", summary));
  if (term) {
    const line = make("span");
    line.append(make("span", "mw-verdict", verdicts[verdict]), make("i", "", `${from}: ${term}`));
    line.lastChild.style.display = "inline";
    parts.push(line);
  }
  if (tip.touched()) parts.push(make("i", "", labels.tap));
  return [`mw-preview${verdict ? ` mw-v-${verdict}` : ""}`, ...parts];
};
const tip = tooltip("mw-preview", linkAt, tell);
/* The event that brought this module in. */
export const at = tip.meet;

document.addEventListener(
  "click",
  (event) => {
    const link = linkAt(event);
    if (!link) return tip.holds(event.target) ? undefined : tip.hide();
    if (!tip.touched() || tip.shows(link) || event.metaKey || event.ctrlKey) return void setTimeout(tip.hide);
    event.preventDefault();
    event.stopPropagation();
    const href = link.href;
    tip.show(link).then((shown) => shown || location.assign(href));
  },
  true,
);
