/* The lookup: a combobox where a page has a place for it, the same in a dialog everywhere else (key c). */
import { labels, lookup, make, root } from "./base.js";
import { find, rowsOf } from "./lookup-find.js";
import { plain } from "./plain.js";

let known;
const load = () => (known ||= lookup().then((data) => ({ data, rows: rowsOf(data) })));

const optionOf = (cls) => {
  const option = make("li", cls);
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  return option;
};

/* One term as an option of the list. */
const answer = (row, data) => {
  const option = optionOf(row.verdict ? `mw-v-${row.verdict}` : "");
  option.append(make("b", "", row.source), row.verdict ? make("span", "mw-verdict", data.verdicts[row.verdict]) : make("span"));
  option.append(make("i", "", row.target));
  const page = row.title && row.title !== row.target && !row.own ? `${row.title}. ` : "";
  option.append(note(page + (row.note || "")));
  if (row.url) option.dataset.href = new URL(row.url, root).href;
  return option;
};

/* A note is Markdown: what stands between backticks is code. */
const note = (text) => {
  const small = make("small");
  text.split("`").forEach((part, at) => small.append(at % 2 ? make("code", "", part) : part));
  return small;
};

/* Further pages that name the term, as options below it. */
const further = (row, data) =>
  row.also
    .filter((url) => data.pages[url.replace(/index\.html$/, "")])
    .slice(0, 4)
    .map((url) => {
      const option = optionOf("mw-further");
      option.append(make("small", "", labels.also_in), make("span", "", data.pages[url.replace(/index\.html$/, "")][0]));
      option.dataset.href = new URL(url, root).href;
      return option;
    });

/* What stands in the list when no term is found: the search for *text*. */
const nothing = (text) => {
  const option = optionOf("");
  option.append(make("b", "", text), make("span"), make("small", "", labels.lookup_none));
  option.dataset.search = text;
  return option;
};

/* What a reader sees of the list without scrolling it; the rest comes two frames later, unless somebody types on. */
const AT_ONCE = 6;

export const mount = (box) => {
  const input = box.querySelector("input");
  const list = box.querySelector("[role=listbox]");
  if (!input || box.dataset.ready) return;
  box.dataset.ready = "1";
  let at = -1;
  /* Options by row, made when first shown: typing on shows the same rows again and again. */
  const options = new Map();
  const optionsOf = (row, data) => {
    if (!options.has(row)) options.set(row, { own: answer(row, data), further: further(row, data) });
    return options.get(row);
  };
  let rest = 0;
  /* Puts *wanted* into the list; what stands in its place already is not laid out again. */
  const put = (wanted) => {
    const { children } = list;
    wanted.forEach((option, number) => {
      if (children[number] !== option) list.insertBefore(option, children[number] ?? null);
      if (option.id !== `${list.id}-${number}`) option.id = `${list.id}-${number}`;
    });
    while (children.length > wanted.length) list.lastChild.remove();
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    at = -1;
  };
  let chosen = null;
  const select = (next) => {
    const option = list.children[next];
    at = next;
    if (chosen !== option) {
      chosen?.setAttribute("aria-selected", "false");
      chosen = option;
    }
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  };
  const open = (option) => {
    if (!option) return;
    if (option.dataset.search) {
      box.closest("dialog")?.close();
      close();
      const toggle = document.getElementById("__search");
      const field = document.querySelector("[data-md-component=search-query]");
      if (!toggle || !field) return;
      if (!toggle.checked) toggle.click();
      field.value = option.dataset.search;
      field.dispatchEvent(new Event("keyup"));
      field.focus();
      return;
    }
    if (!option.dataset.href) return;
    box.closest("dialog")?.close();
    const link = make("a");
    link.href = option.dataset.href;
    document.body.append(link);
    link.click();
    link.remove();
  };
  const render = async () => {
    const text = input.value;
    const { rows, data } = await load();
    if (text !== input.value) return;
    if (!plain(text)) return close();
    const found = find(rows, text);
    const shown = found.map((row) => optionsOf(row, data));
    const wanted = shown.length ? shown.flatMap(({ own, further }, at) => (at ? own : [own, ...further])) : [nothing(text)];
    put(wanted.slice(0, AT_ONCE));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    select(0);
    cancelAnimationFrame(rest);
    rest = requestAnimationFrame(() => (rest = requestAnimationFrame(() => put(wanted))));
  };
  input.addEventListener("focus", load);
  input.addEventListener("input", render);
  input.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) render();
      else select((at + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!list.hidden) open(list.children[at]);
      else render();
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Escape" && input.value && !box.closest("dialog")) input.value = "";
  });
  input.addEventListener("blur", () => setTimeout(() => document.activeElement !== input && close(), 150));
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => open(event.target.closest("[role=option]")));
  if (input.value && document.activeElement === input) render(); // typed before this module was here
};

/* Looks up the example on *button*. */
export const attempt = (button) => {
  const box = button.closest("[data-mw-lookup]");
  const input = box.querySelector("input");
  mount(box);
  input.value = button.dataset.mwTry;
  input.focus();
  input.dispatchEvent(new Event("input"));
};

let dialog;
export const ask = () => {
  const present = document.querySelector(".md-content [data-mw-lookup] input");
  if (present) {
    present.scrollIntoView({ block: "center" });
    return present.focus();
  }
  if (!dialog) {
    dialog = make("dialog", "mw-dialog");
    dialog.setAttribute("aria-label", labels.lookup);
    const box = make("div", "mw-lookup");
    const label = make("label", "", labels.lookup_term);
    const inner = make("div", "mw-lookup-box");
    const input = make("input");
    const list = make("ul", "mw-lookup-list");
    input.id = label.htmlFor = "mw-ask-input";
    list.id = "mw-ask-list";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", labels.counterparts);
    for (const [name, value] of Object.entries({ type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list", autocomplete: "off", autocapitalize: "off", spellcheck: "false" })) input.setAttribute(name, value);
    inner.append(input, list);
    box.append(label, inner);
    const shut = make("button", "mw-dialog-close", labels.close);
    shut.type = "button";
    shut.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.append(box, shut);
    document.body.append(dialog);
    mount(box);
  }
  dialog.querySelector("input").value = "";
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("input").focus();
};
