/* What the other modules share. */
import told from "./settings.js";

/* The site's root: this file lies in assets/metalworking/. */
export const root = new URL("../../", import.meta.url);
/* Words of the site's language, and what it asked for; the build writes both. */
export const labels = told.labels;
export const asked = new Set(told.parts);
/* By what Material parts the words that it marks. */
export const separator = told.separator;

export const make = (tag, cls, text) => {
  const el = document.createElement(tag);
  if (cls) el.className = cls;
  if (text !== undefined) el.textContent = text;
  return el;
};

/* An excerpt's lines and gaps, without those of an excerpt in a note. */
export const linesOf = (figure) => [...figure.querySelector(".mw-code>code").children].filter((el) => el.matches(".mw-l,.mw-gap"));

export const editing = (el) => el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName));

/* Runs on this page, and on each that instant navigation brings. */
export const onPage = (run) => (window.document$ ? window.document$.subscribe(run) : run());

/* An address as text; what is none stays as it is. */
export const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/* What the address named, whatever scripts have written there since. */
export const target = () => document.querySelector(":target") || document.getElementById(decoded(location.hash.slice(1)));

/* Returns a function that reads *name* once; what cannot be read is *empty*, and asked for again the next time. */
export const data = (name, empty) => {
  let loading;
  return () =>
    (loading ||= fetch(new URL(name, import.meta.url))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .catch(() => {
        loading = null;
        return empty;
      }));
};
export const lookup = data("lookup.json", { pages: {}, terms: [], verdicts: {} });
