/* What the book adds to the plugin's scripts: marks on links that lead outside, keys for what scrolls, and a 404 page
   that offers what lies close to the address. */
import { decoded, lookup, make, onPage, root } from "../metalworking/base.js";
import { plain } from "../metalworking/lookup-find.js";

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
  const near = document.querySelector("[data-mw-near]");
  if (near) {
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
  }
});
