/* The fields of an instrument's form: up to three sliders and a select or two in front, the rest under More. */
import { slider } from "./slider.js";
import { make } from "./ui.js";

/** A field of a control: {box, show(state, keepText), typed: what may hold a wrong text, or null}. `change` is told of every move. */
const field = (control, id, change) => {
  const help = control.help && make("small", { id: `${id}-help` }, control.help);
  const text = make("label", { for: id }, control.label);
  if (control.stops) {
    const { range, typed, show, box } = slider(control, id, change);
    if (help) range.setAttribute("aria-describedby", `${id}-help`);
    return { box: make("div", { class: "mw-i-field mw-i-dial" }, text, box, help), show, typed: control.options ? null : typed, inputs: [range, typed] };
  }
  const common = { id, name: control.key, "aria-describedby": help && `${id}-help` };
  let input;
  if (control.options) input = make("select", common, control.options.map(([value, name]) => make("option", { value }, name)));
  else if (control.check) input = make("input", { ...common, type: "checkbox" });
  else if (control.text) input = make("input", { ...common, type: "text", spellcheck: "false" });
  else input = make("input", { ...common, type: "number", min: control.min, max: control.max, step: control.step ?? (control.whole ? 1 : "any"), inputmode: "decimal", required: true });
  return {
    box: make("div", { class: `mw-i-field${control.check ? " mw-i-check" : ""}${control.text || control.wide ? " mw-i-wide" : ""}` }, control.check ? [input, text] : [text, input], help),
    show(state, keepText = false) {
      if (control.check) input.checked = state[control.key];
      else if (control.options || !keepText) input.value = state[control.key];
    },
    typed: control.options || control.check || control.text ? null : input,
    inputs: [input],
  };
};

const groups = (home) => {
  const made = new Map();
  return (name = "") => {
    if (!made.has(name)) {
      const inner = make("div", { class: "mw-i-fields" });
      home.append(name ? make("fieldset", {}, make("legend", {}, name), inner) : inner);
      made.set(name, inner);
    }
    return made.get(name);
  };
};

/** All fields of a spec, in their places: {front, dials, more, fields: Map of key to field}. Hidden controls have none. */
export const fields = (name, spec, change) => {
  const front = make("div", { class: "mw-i-fields mw-i-front" });
  const dials = make("div", { class: "mw-i-dials" });
  const rest = make("div", { class: "mw-i-rest" });
  const group = groups(rest);
  const made = new Map();
  for (const control of spec.controls.filter((each) => !each.hidden)) {
    const one = field(control, `mw-i-${name}-${control.key}`, (value) => change(control, value));
    made.set(control.key, { ...one, control });
    if (control.stops) dials.append(one.box);
    else if (control.front) front.append(one.box);
    else group(control.group).append(one.box);
  }
  const more = rest.childElementCount ? make("details", { class: "mw-i-more mw-fold" }, make("summary", {}, "More"), rest) : null;
  return { front, dials, more, fields: made };
};
