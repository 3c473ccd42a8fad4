/*
 * An instrument in its place: a drawing that answers to the hand, a sentence that says what follows, sliders, a state
 * in the address, and one that may be pinned beside it. The static example that stands there stays for print and for
 * browsers without scripts.
 *
 * A spec has a title; controls; read(state), all that follows from a state, or a sentence thrown by wrong();
 * says(view); figures(view), what a pinned state is compared by; picture(view, width, ghost), an SVG or {svg, ...} with
 * what a drag wants to know of it; hand: its name, a hint of what the hand may do, at(view) for assistive technology, move(point, held) and key(name,
 * view), which give changed values or nothing; details(view, width), what stands below; play: {label, advance(view,
 * first)}. A control has a key (its name in the address), a label and a value, and is one of: options [[value, label],
 * ...]; check; text; otherwise a number with min, max, step, whole, unit. With `stops` it is a slider, `front` puts it
 * before the drawing, `group` under a legend, `hidden` nowhere; `when(state)` hides it while it has no meaning, `help`
 * explains it, `sets(value, state)` says what else moves with it. `presets` are named sets of values; data-preset on
 * the place says with which a page begins.
 */
import { address, read, states } from "./address.js";
import { fields as build } from "./fields.js";
import { stage as staged } from "./hand.js";
import { versus } from "./pin.js";
import { play as playing } from "./play.js";
import { make, round, style } from "./ui.js";

const press = (text, act, more = {}) => {
  const button = make("button", { type: "button", class: "mw-i-button", ...more }, text);
  button.addEventListener("click", act);
  return button;
};
const attempt = (made) => {
  try {
    return [made(), null];
  } catch (error) {
    if (error.name !== "Wrong") throw error;
    return [null, error.message];
  }
};

export const mount = async (place, spec) => {
  const name = place.dataset.instrument;
  const start = spec.presets?.[place.dataset.preset]?.[1] ?? {};
  const controls = spec.controls.map((control) => ({ ...control, value: start[control.key] ?? control.value }));
  const defaults = Object.fromEntries(controls.map((control) => [control.key, control.value]));
  let [state, pinned] = states(controls, location.search);
  let view = null;
  let scale = null;
  let width = 0;

  const { front, dials, more, fields } = build(name, { ...spec, controls }, (control, value) => change(control, value));
  const preset = spec.presets && make("select", { id: `mw-i-${name}-preset` }, make("option", { value: "" }, "Your own numbers"), spec.presets.map(([text], at) => make("option", { value: at }, text)));
  if (preset) front.prepend(make("div", { class: "mw-i-field mw-i-wide" }, make("label", { for: preset.id }, spec.presetLabel || "Example"), preset));
  const stage = staged(spec.hand.name, `mw-i-${name}-hint`, {
    take: () => ({ state: { ...state }, scale }),
    move: (point, held) => view && take(spec.hand.move(point, held)),
    key: (key) => view !== null && take(spec.hand.key(key, view)),
  });
  const player = spec.play && playing(spec.play.label, (first) => view !== null && take(spec.play.advance(view, first), true), spec.play.pause);
  const pin = press("Pin A", () => hold(pinned ? null : { ...state }));
  const swap = press("Swap A and B", () => {
    [state, pinned] = [pinned, state];
    all();
  });
  const reset = press("Reset", () => {
    [state, pinned] = [{ ...defaults }, null];
    all();
  });
  const copy = press("Copy link", async () => {
    await navigator.clipboard.writeText(location.href);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy link"), 1500);
  }, { hidden: !navigator.clipboard });
  dials.append(make("div", { class: "mw-i-actions" }, player?.button, pin, swap, reset, copy));

  const result = make("span", { class: "mw-i-result" });
  const against = make("span", { class: "mw-i-versus" });
  const says = make("p", { class: "mw-i-says", id: `mw-i-${name}-says`, role: "status", "aria-live": "polite" }, result, against);
  const shows = make("div", { class: "mw-i-shows" });
  const title = make("span", { id: `mw-i-${name}-title` }, spec.title);
  const head = make("p", { class: "mw-i-title mw-i-head" }, title, make("small", { id: `mw-i-${name}-hint` }, `${spec.hand.hint}, or the arrow keys`));
  const form = make("form", { class: "mw-i-form", autocomplete: "off" }, front.childElementCount ? front : null, make("div", { class: "mw-i-play" }, make("div", { class: "mw-i-main" }, stage.box, says), dials), more);
  const live = make("div", { class: "mw-i-live", role: "group", "aria-labelledby": title.id }, head, form, shows);

  const same = (values) => Object.entries(values).every(([key, value]) => String(state[key]) === String(value));
  const texts = () =>
    [...fields.values()].filter(({ typed, box, control }) => {
      const bad = typed && !box.hidden && read(control, typed.value) === undefined;
      if (typed) bad ? typed.setAttribute("aria-invalid", "true") : typed.removeAttribute("aria-invalid");
      return bad;
    }).map(({ control }) => `${control.label}: ${control.whole ? "a whole number" : "a number"} from ${round(control.min, 12)} to ${round(control.max, 12)}.`);
  const show = () => {
    for (const { box, inputs, control } of fields.values()) {
      box.hidden = Boolean(control.when && !control.when(state));
      for (const input of inputs) input.disabled = box.hidden;
    }
    if (preset) {
      const fits = spec.presets.findIndex(([, values]) => same(values));
      preset.value = fits < 0 ? "" : fits;
    }
    pin.textContent = pinned ? "Unpin A" : "Pin A";
    pin.setAttribute("aria-pressed", Boolean(pinned));
    swap.hidden = !pinned;
    const bad = texts();
    let error;
    [view, error] = bad.length ? [null, bad.join(" ")] : attempt(() => spec.read(state));
    const [ghost, ghostError] = pinned ? attempt(() => spec.read(pinned)) : [null, null];
    says.classList.toggle("mw-i-wrong", view === null);
    stage.box.classList.toggle("mw-i-stale", view === null);
    const text = view === null ? error : spec.says(view);
    if (result.textContent !== text) result.textContent = text;
    const beside = view && pinned ? (ghost ? versus(spec.figures(ghost), spec.figures(view), same(pinned)) : `A: ${ghostError}`) : "";
    if (against.textContent !== beside) against.textContent = beside;
    if (view === null) return shows.replaceChildren();
    scale = spec.picture(view, width, ghost);
    stage.show(scale.svg ?? scale, spec.hand.at(view));
    shows.replaceChildren(...spec.details(view, Math.max(280, shows.clientWidth - 36)).flat(Infinity).filter(Boolean));
  };
  const remember = () => {
    const url = address(controls, location.href, state, pinned);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  };
  const fill = (typing) => {
    for (const { show: set, control } of fields.values()) set(state, control.key === typing);
  };
  const all = (typing) => {
    fill(typing);
    show();
    remember();
  };
  const hold = (values) => {
    pinned = values;
    show();
    remember();
  };
  /** Take changed values, if there are any; says whether. */
  const take = (values, byPlay = false) => {
    if (!values) return false;
    if (!byPlay) player?.stop();
    state = { ...state, ...values };
    all();
    return true;
  };
  const change = (control, value, typing) => {
    player?.stop();
    const moved = { ...state, [control.key]: value };
    state = { ...moved, ...control.sets?.(value, moved) };
    all(typing);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === preset) return preset.value !== "" && take(spec.presets[preset.value][1]);
    const found = fields.get(event.target.name);
    if (!found) return;
    const { control } = found;
    const value = control.check ? event.target.checked : read(control, event.target.value);
    if (value === undefined) show();
    else change(control, value, control.key);
  });

  await style();
  const still = make("div", { class: "mw-i-static" });
  still.append(...place.childNodes);
  fill();
  place.append(live, still);
  place.classList.add("mw-i-on");
  if (more && controls.some(({ key }) => fields.get(key)?.box.closest("details") && String(state[key]) !== String(defaults[key]))) more.open = true;
  const measure = () => Math.max(250, Math.min(900, Math.floor(stage.box.clientWidth)));
  width = measure();
  show();
  new ResizeObserver(() => {
    if (!place.isConnected || Math.abs(measure() - width) < 8) return;
    width = measure();
    show();
  }).observe(place);
};
