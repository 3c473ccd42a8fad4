/* A Copy button on every excerpt, a second where its indentation was taken off. */
import { labels, linesOf, make, onPage } from "./base.js";

/* The lines, LF between them; a mark gives back its character, a gap is a comment. */
const codeOf = (figure, indent) =>
  linesOf(figure)
    .map((line) => {
      const copy = line.cloneNode(true);
      copy.querySelectorAll(".mw-ctl").forEach((mark) => mark.replaceWith(String.fromCodePoint(parseInt(mark.dataset.cp, 16))));
      const text = line.dataset.copy ?? copy.textContent.replace(/\n$/, "");
      return text && indent + text;
    })
    .join("\n");
export const write = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    /* The field has LF for every CR. */
    area.addEventListener("copy", (event) => {
      event.clipboardData.setData("text/plain", text);
      event.preventDefault();
    });
    document.execCommand("copy");
    area.remove();
  }
};
export const button = (cls, label) => {
  const made = make("button", cls, label);
  made.type = "button";
  return made;
};
/* Says for a while that *pressed* has copied. */
export const told = (pressed) => {
  const label = (pressed.dataset.label ||= pressed.textContent);
  pressed.textContent = labels.copied;
  setTimeout(() => (pressed.textContent = label), 1500);
};
const addCopy = (figure) => {
  const caption = figure.querySelector(".mw-caption");
  if (!caption || caption.querySelector(".mw-copy") || !figure.querySelector(".mw-pre")) return;
  caption.querySelector(".mw-dedented")?.after(button("mw-copy-in", labels.copy_indented));
  caption.append(button("mw-copy", labels.copy));
};
document.addEventListener("click", async (event) => {
  const pressed = event.target.closest?.(".mw-copy,.mw-copy-in");
  const figure = pressed?.closest("figure.mw-excerpt");
  if (!figure) return;
  const indent = pressed.matches(".mw-copy-in") ? figure.querySelector(".mw-dedented").dataset.indent : "";
  await write(codeOf(figure, indent));
  told(pressed);
});

onPage(() => document.querySelectorAll("figure.mw-excerpt").forEach(addCopy));
