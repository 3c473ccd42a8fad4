/* Material marks what was searched for, the address's h, in escaped text: a mark within &lt; breaks the character, also
   in quoted code. By then it has read the address, so the page is loaded again without. */
import { onPage, separator } from "./base.js";

const REFERENCES = ["quot", "amp", "39", "lt", "gt"];
/* Whether a mark may come into a reference: for a part of its name, or for the nothing beside a separator. */
const breaks = (text) => {
  const parts = text
    .replace(/[\s*+\-:~^]+/g, " ")
    .trim()
    .split(new RegExp(separator, "im"));
  const words = parts.flatMap((part) => part?.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []);
  return /[&;#]/.test(text) || parts.includes("") || words.some((word) => REFERENCES.some((name) => name.includes(word)));
};

const look = () => {
  const address = new URL(location.href);
  const text = address.searchParams.get("h");
  if (!text || !breaks(text) || !document.querySelector("figure.mw-excerpt")) return;
  address.searchParams.delete("h");
  location.replace(address);
};
let shown;
onPage(() => {
  shown = location.pathname;
  look();
});
/* A result that lies on this page itself brings no page. */
window.location$?.subscribe(() => location.pathname === shown && look());
