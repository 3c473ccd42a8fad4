import { decoded, lookup, make, root } from "../metalworking/base.js";
import { find, rowsOf } from "../metalworking/lookup-find.js";
import { plain } from "../metalworking/plain.js";

const near = document.querySelector("[data-mw-near]");
const path = decoded(location.pathname).slice(decoded(root.pathname).length);
const words = (path.match(/[^/]+/g)?.at(-1) || "").replace(/\.(html|md)$/, "");
const field = document.getElementById("mw-404-q");
if (field && !field.value) field.value = plain(words);
lookup().then((data) => {
  const { pages } = data;
  const slugs = Object.entries(pages).map(([url, [title]]) => [title, url.split("/").at(-2) || "", "", url, ""]);
  const found = [{ pages, terms: slugs }, data].flatMap((one) => find(rowsOf(one), words, 5)).filter((row) => row.url);
  const links = new Map(found.map((row) => [row.url.split("#")[0], row.title || row.source]));
  near.querySelector("ul").replaceChildren(
    ...[...links].slice(0, 5).map(([url, title]) => {
      const item = make("li");
      const link = make("a", "", title);
      link.href = new URL(url, root);
      item.append(link);
      return item;
    }),
  );
  near.hidden = !links.size;
});
