/* Below a result of Material's search: the lines of quoted code that hold what was typed, each a link to its line. */
import { data, make, root } from "./base.js";

const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;
const SHOWN = 2;
const load = data("code.json", {});

/* What to look for: names of three letters and more. */
export const wordsOf = (text) => [...new Set((text.toLowerCase().match(NAME) || []).filter((word) => word.length > 2))];

/* 2 for a name that is typed whole, 1 for one that begins so. */
const points = (name, words) => Math.max(0, ...words.map((word) => (name === word ? 2 : word.length > 3 && name.startsWith(word) ? 1 : 0)));

/* The best lines of one page's excerpts: [points, address after #, file and line, text, first and last of the match]. */
export const linesOf = (excerpts, words) => {
  const found = [];
  for (const [file, head, tail, parts] of excerpts) {
    for (const [first, lines] of parts) {
      lines.forEach((text, at) => {
        const seen = new Map();
        let best;
        for (const match of text.matchAll(NAME)) {
          const name = match[0].toLowerCase();
          const got = points(name, words);
          if (!got) continue;
          seen.set(name, got);
          if (!best || got > best[0]) best = [got, match.index, match.index + match[0].length];
        }
        const sum = [...seen.values()].reduce((all, one) => all + one, 0);
        if (best) found.push([sum, `${head}${first + at}${tail}`, `${file}:${first + at}`, text, best[1], best[2]]);
      });
    }
  }
  return found.sort((a, b) => b[0] - a[0]).slice(0, SHOWN);
};

const linked = ([, id, where, text, from, to], page) => {
  const link = make("a", "mw-search-line");
  link.href = new URL(`${page}#${id}`, root);
  const code = make("code", "", text.slice(0, from).trimStart());
  code.append(make("mark", "", text.slice(from, to)), text.slice(to));
  link.append(make("b", "", where), code);
  return link;
};

/* Puts the lines below the results that are there; those of an earlier text go. */
export const showLines = async (list, text) => {
  const words = wordsOf(text);
  const pages = words.length ? await load() : {};
  for (const item of list.querySelectorAll(":scope > li")) {
    const result = item.querySelector(":scope > a");
    if (!result || item.dataset.mwLines === text) continue;
    item.dataset.mwLines = text;
    for (const old of item.querySelectorAll(":scope > .mw-search-line")) old.remove();
    const url = new URL(result.href);
    const page = url.pathname.slice(root.pathname.length);
    const folder = page.replace(/index\.html$/, "") || "./"; // the home page's address, as MkDocs has it
    const excerpts = pages[page] || pages[folder] || pages[`${page}index.html`];
    if (excerpts) result.after(...linesOf(excerpts, words).map((line) => linked(line, page)));
  }
};
