/* A 404 page offers what lies close to the address. */
import { decoded, lookup, make, root } from "../metalworking/base.js";
import { plain } from "../metalworking/lookup-find.js";

const near = document.querySelector("[data-mw-near]");
const words = decoded(location.pathname).split("/").filter(Boolean).pop() || "";
const field = document.getElementById("mw-404-q");
if (field && !field.value) field.value = plain(words.replace(/\.(html|md)$/, ""));
lookup().then(({ pages }) => {
  const wanted = plain(location.pathname).split(" ").filter((word) => word.length > 2);
  const found = Object.entries(pages)
    .map(([url, [title]]) => [wanted.filter((word) => plain(`${url} ${title}`).includes(word)).length, url, title])
    .filter(([hits]) => hits)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 5);
  near.querySelector("ul").replaceChildren(
    ...found.map(([, url, title]) => {
      const item = make("li");
      const link = make("a", "", title);
      link.href = new URL(url, root);
      item.append(link);
      return item;
    }),
  );
  near.hidden = !found.length;
});
