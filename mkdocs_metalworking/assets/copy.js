/* A Copy button on every excerpt. */
import { labels, make, onPage } from "./base.js";

/* Copy: the text of the lines, LF between them; marks give back the character they stand for. */
const codeOf = (pre) =>
  [...pre.querySelectorAll(".mw-l")]
    .map((line) => {
      const copy = line.cloneNode(true);
      copy.querySelectorAll(".mw-ctl").forEach((mark) => mark.replaceWith(String.fromCodePoint(parseInt(mark.dataset.cp, 16))));
      return copy.textContent.replace(/\n$/, "");
    })
    .join("\n");
const write = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
};
const addCopy = (figure) => {
  const caption = figure.querySelector(".mw-caption");
  if (!caption || caption.querySelector(".mw-copy") || !figure.querySelector(".mw-pre")) return;
  const button = make("button", "mw-copy", labels.copy);
  button.type = "button";
  caption.append(button);
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.(".mw-copy");
  if (!button) return;
  await write(codeOf(button.closest("figure").querySelector(".mw-pre")));
  button.textContent = labels.copied;
  setTimeout(() => (button.textContent = labels.copy), 1500);
});

onPage(() => document.querySelectorAll("figure.mw-excerpt").forEach(addCopy));
