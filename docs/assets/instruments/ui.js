/* What the instruments and the Lab share: elements, numbers as text, tables, charts. */

const put = (el, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) el.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) el.setAttribute(name, value);
  }
  el.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return el;
};
/** An HTML element: make("p", { class: "x" }, "text", node). */
export const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
/** An SVG element. Only attributes and the d-* classes, never a style. */
export const draw = (tag, attributes = {}, ...children) => put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
/** A link that leaves the book. */
export const link = (href, ...text) => make("a", { href }, ...text);

/** 1234567.8 as 1,230,000; small numbers keep their significant digits. */
export const round = (value, digits = 3) => value.toLocaleString("en-US", { maximumSignificantDigits: digits });
/** A count, in full. */
export const count = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
/** A fixed number of digits behind the point. */
export const fixed = (value, digits) => value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const percent = (share) => `${share >= 0.995 || share < 0.1 ? round(share * 100, share < 0.1 ? 2 : 3) : Math.round(share * 100)}%`;
/** Bytes in powers of 1,024 or, past a mebibyte, in gigabytes of 10^9 where the page counts so. */
export const bytes = (value) => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1024 && at < units.length - 1) [value, at] = [value / 1024, at + 1];
  return at ? `${round(value, 4)} ${units[at]}` : `${count(value)} bytes`;
};
/** "1 group", "2 groups". */
export const some = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A table: heads, rows of cells (text or nodes), and the caption that names it. The first cell of a row heads it. */
export const table = (caption, heads, rows, { mark = () => false, numbers = true } = {}) =>
  make(
    "div",
    { class: "mw-i-scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      { class: `mw-i-table${numbers ? " mw-i-numbers" : ""}` },
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
      make(
        "tbody",
        {},
        rows.map((row, at) => make("tr", { class: mark(row, at) && "mw-i-mark" }, row.map((cell, place) => make(place ? "td" : "th", { scope: !place && "row" }, cell)))),
      ),
    ),
  );
/** Pairs of a name and what is known about it. */
export const facts = (pairs) =>
  make("dl", { class: "mw-i-facts" }, pairs.filter(Boolean).map(([name, value, why]) => make("div", {}, make("dt", {}, name), make("dd", {}, value, why && make("small", {}, why)))));

let figures = 0;
/** A chart with a title and a description for those who do not see it. */
export const chart = (width, height, title, description, ...children) => {
  const id = `mw-i-chart-${(figures += 1)}`;
  return draw(
    "svg",
    { class: "mw-svg", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": `${id}-t ${id}-d` },
    draw("title", { id: `${id}-t` }, title),
    draw("desc", { id: `${id}-d` }, description),
    ...children,
  );
};
/** A drawing inside a stage, which has the words for it. */
export const sheet = (width, height, ...children) => draw("svg", { class: "mw-svg", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...children);
export const label = (x, y, text, cls = "d-s") => draw("text", { x, y, class: cls }, text);
/** A horizontal bar with its value, for lists of bars on one scale. */
export const bars = (width, title, description, rows, most, { unit = "", limit = null } = {}) => {
  const narrow = width < 420;
  const left = narrow ? 2 : Math.min(190, width * 0.36);
  const right = 74;
  const scale = (value) => (Math.min(value, most) / most) * (width - left - right);
  const step = narrow ? 40 : 26;
  const top = limit ? 22 : 4;
  const height = top + rows.length * step + 4;
  const picture = chart(
    width, height, title, description,
    rows.map(([name, value, cls, text], at) => [
      narrow ? label(left, top + at * step + 12, name) : label(left - 8, top + at * step + 16, name, "d-s d-end"),
      draw("rect", { class: cls, x: left, y: top + (at + 1) * step - 23, width: Math.max(1, scale(value)), height: 18 }),
      label(left + scale(value) + 6, top + (at + 1) * step - 10, text ?? `${round(value)}${unit}`),
    ]),
    limit && [
      draw("path", { class: "d-dash", d: `M${left + scale(limit[0])} ${top - 4}V${height - 4}` }),
      label(left + scale(limit[0]), 13, limit[1], "d-s d-mid"),
    ],
  );
  return make("div", {}, make("p", { class: "mw-i-cap", "aria-hidden": "true" }, title), picture);
};

/** The value of a cell of that table, or null where the book has no source. */
export const cell = (row, name) => row?.[name] ?? null;

const styled = new Map();
/** Bring in a style sheet, once. */
export const style = (href = new URL("instruments.css", import.meta.url)) => {
  if (!styled.has(href.href)) {
    styled.set(
      href.href,
      new Promise((done) => {
        const sheet = make("link", { rel: "stylesheet", href });
        sheet.onload = sheet.onerror = done;
        // In the body, because instant navigation drops what it does not know from the head.
        document.body.append(sheet);
      }),
    );
  }
  return styled.get(href.href);
};

const read = (control, raw) => {
  if (raw === null || raw === undefined) return undefined;
  if (control.options) return control.options.some(([value]) => String(value) === raw) ? raw : undefined;
  if (control.check) return raw === "1" ? true : raw === "0" ? false : undefined;
  if (control.text) return raw.slice(0, 400);
  const value = Number(raw);
  return raw.trim() !== "" && Number.isFinite(value) && value >= control.min && value <= control.max && (!control.whole || Number.isInteger(value)) ? value : undefined;
};

/**
 * Put an instrument into its place: the static example that stands there stays for print and for browsers without
 * scripts. A spec has a title, controls, and render(state, width), which returns what to say and what to show.
 *
 * A control has a key (its name in the address), a label and a value, and is one of: options [[value, label], ...];
 * check; text; otherwise a number with min, max, step, whole. `group` puts it under a legend, `when(state)` hides it
 * while it has no meaning, `help` explains it. `presets` are named sets of values; the select shows the one that fits,
 * and data-preset on the place says with which a page begins.
 */
export const mount = async (place, spec) => {
  const name = place.dataset.instrument;
  const start = spec.presets?.[place.dataset.preset]?.[1] ?? {};
  const controls = spec.controls.map((control) => ({ ...control, value: start[control.key] ?? control.value }));
  const defaults = Object.fromEntries(controls.map((control) => [control.key, control.value]));
  const state = { ...defaults };
  const asked = new URLSearchParams(location.search);
  for (const control of controls) state[control.key] = read(control, asked.get(control.key)) ?? control.value;

  const id = (key) => `mw-i-${name}-${key}`;
  const fields = new Map();
  const form = make("form", { class: "mw-i-form", autocomplete: "off" });
  const groups = new Map();
  const home = (group) => {
    if (!group) return (groups.get("") || groups.set("", form.appendChild(make("div", { class: "mw-i-fields" }))).get(""));
    if (!groups.has(group)) {
      const inner = make("div", { class: "mw-i-fields" });
      form.append(make("fieldset", {}, make("legend", {}, group), inner));
      groups.set(group, inner);
    }
    return groups.get(group);
  };
  let preset = null;
  if (spec.presets) {
    preset = make("select", { id: id("preset") }, make("option", { value: "" }, "Your own numbers"), spec.presets.map(([text], at) => make("option", { value: at }, text)));
    home("").append(make("div", { class: "mw-i-field mw-i-wide" }, make("label", { for: id("preset") }, spec.presetLabel || "Example"), preset));
  }
  for (const control of controls) {
    const common = { id: id(control.key), name: control.key, "aria-describedby": control.help && id(`${control.key}-help`) };
    let field;
    if (control.options) field = make("select", common, control.options.map(([value, text]) => make("option", { value }, text)));
    else if (control.check) field = make("input", { ...common, type: "checkbox" });
    else if (control.text) field = make("input", { ...common, type: "text", spellcheck: "false" });
    else field = make("input", { ...common, type: "number", min: control.min, max: control.max, step: control.step ?? (control.whole ? 1 : "any"), inputmode: "decimal", required: true });
    const text = make("label", { for: id(control.key) }, control.label);
    const box = make("div", { class: `mw-i-field${control.check ? " mw-i-check" : ""}${control.text || control.wide ? " mw-i-wide" : ""}` }, ...(control.check ? [field, text] : [text, field]));
    if (control.steps) {
      const move = (by) => () => {
        const value = Math.min(control.max, Math.max(control.min, Number(field.value) + by));
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
      const buttons = [["Back", -1], ["Next", 1]].map(([text, by]) => {
        const button = make("button", { type: "button", class: "mw-i-button" }, text);
        button.addEventListener("click", move(by));
        return button;
      });
      box.append(make("div", { class: "mw-i-steps" }, field, ...buttons));
    }
    if (control.help) box.append(make("small", { id: id(`${control.key}-help`) }, control.help));
    fields.set(control.key, { field, box, control });
    home(control.group).append(box);
  }
  const reset = make("button", { type: "button", class: "mw-i-button" }, "Reset");
  const copy = make("button", { type: "button", class: "mw-i-button", hidden: !navigator.clipboard }, "Copy link");
  form.append(make("div", { class: "mw-i-actions" }, reset, copy));

  const says = make("p", { class: "mw-i-says", role: "status", "aria-live": "polite" });
  const shows = make("div", { class: "mw-i-shows" });
  const title = make("p", { class: "mw-i-title", id: id("title") }, spec.title);
  const live = make("div", { class: "mw-i-live", role: "group", "aria-labelledby": id("title") }, title, form, says, shows);

  const fill = () => {
    for (const { field, control } of fields.values()) {
      if (control.check) field.checked = state[control.key];
      else field.value = state[control.key];
    }
  };
  const same = (values) => Object.entries(values).every(([key, value]) => String(state[key]) === String(value));
  let width = 0;
  const show = () => {
    for (const { field, box, control } of fields.values()) {
      const idle = Boolean(control.when && !control.when(state));
      box.hidden = idle;
      field.disabled = idle;
    }
    if (preset) {
      const fits = spec.presets.findIndex(([, values]) => same(values));
      preset.value = fits < 0 ? "" : fits;
    }
    const wrong = [];
    for (const { field, control } of fields.values()) {
      const bad = !field.disabled && !control.options && !control.check && !control.text && read(control, field.value) === undefined;
      if (bad) {
        wrong.push(`${control.label}: ${control.whole ? "a whole number" : "a number"} from ${round(control.min, 12)} to ${round(control.max, 12)}.`);
        field.setAttribute("aria-invalid", "true");
      } else field.removeAttribute("aria-invalid");
    }
    let result;
    if (wrong.length) result = { says: wrong.join(" "), shows: [] };
    else {
      try {
        result = spec.render(state, width);
      } catch (error) {
        if (error.name !== "Wrong") throw error;
        result = { says: error.message, shows: [] };
        wrong.push(error.message);
      }
    }
    says.classList.toggle("mw-i-wrong", wrong.length > 0);
    if (says.textContent !== result.says) says.textContent = result.says;
    shows.replaceChildren(...result.shows.flat(Infinity).filter(Boolean));
  };
  const remember = () => {
    const url = new URL(location.href);
    for (const control of controls) {
      const value = state[control.key];
      if (String(value) === String(control.value)) url.searchParams.delete(control.key);
      else url.searchParams.set(control.key, control.check ? Number(value) : value);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  };
  const take = (values) => {
    Object.assign(state, values);
    fill();
    show();
    remember();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === preset) {
      if (preset.value !== "") take(spec.presets[preset.value][1]);
      return;
    }
    const found = fields.get(event.target.name);
    if (!found) return;
    const { field, control } = found;
    const value = control.check ? field.checked : read(control, field.value);
    if (value !== undefined) state[control.key] = value;
    const sets = control.sets?.[value];
    if (sets) return take(sets);
    show();
    if (value !== undefined) remember();
  });
  reset.addEventListener("click", () => take(defaults));
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy link"), 1500);
  });

  await style();
  const still = make("div", { class: "mw-i-static" });
  still.append(...place.childNodes);
  fill();
  place.append(live, still);
  place.classList.add("mw-i-on");
  const measure = () => Math.max(280, Math.min(900, Math.floor(shows.clientWidth - 36)));
  width = measure();
  show();
  new ResizeObserver(() => {
    if (!place.isConnected || Math.abs(measure() - width) < 8) return;
    width = measure();
    show();
  }).observe(place);
};
/** Stop with a sentence for the reader. */
export const wrong = (message) => Object.assign(new Error(message), { name: "Wrong" });
