/* The state of an instrument in the address: what is set now, and what was pinned to compare it with. */

/** The name under which the pinned state travels; its value is a query of its own. */
const PINNED = "pinned";

/** A raw text as the value of a control, or undefined where it is none. */
export const read = (control, raw) => {
  if (raw === null || raw === undefined) return undefined;
  if (control.options) return control.options.some(([value]) => String(value) === raw) ? raw : undefined;
  if (control.check) return raw === "1" ? true : raw === "0" ? false : undefined;
  if (control.text) return raw.slice(0, 400);
  const value = Number(raw);
  return raw.trim() !== "" && Number.isFinite(value) && value >= control.min && value <= control.max && (!control.whole || Number.isInteger(value)) ? value : undefined;
};
const values = (controls, query) => Object.fromEntries(controls.map((control) => [control.key, read(control, query.get(control.key)) ?? control.value]));

/** Both states of an address: [now, pinned or null]. What is missing or wrong has its first value. */
export const states = (controls, search) => {
  const query = new URLSearchParams(search);
  const pinned = query.get(PINNED);
  return [values(controls, query), pinned === null ? null : values(controls, new URLSearchParams(pinned))];
};

const write = (controls, state, query) => {
  for (const control of controls) {
    const value = state[control.key];
    if (String(value) === String(control.value)) query.delete(control.key);
    else query.set(control.key, control.check ? Number(value) : value);
  }
  return query;
};
/** An address with both states in it: only what differs from the first values, and nothing else lost. */
export const address = (controls, href, state, pinned) => {
  const url = new URL(href);
  write(controls, state, url.searchParams);
  if (pinned) url.searchParams.set(PINNED, write(controls, pinned, new URLSearchParams()).toString());
  else url.searchParams.delete(PINNED);
  return url;
};
