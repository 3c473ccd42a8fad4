/* One drag for all drawings. The stage keeps focus, capture and name while the picture in it is drawn anew. */
import { draw, make } from "./ui.js";

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
/** How far a finger may stray before it is a drag. */
const SLOP = 6;

/** What may be taken hold of: a ring with room for a finger around it. Only there a touch does not scroll the page. */
export const grip = (x, y, cls = "i-grip") => draw("g", { class: "mw-i-grip" }, draw("circle", { class: "i-reach", cx: x, cy: y, r: 22 }), draw("circle", { class: cls, cx: x, cy: y, r: 8 }));

/**
 * A stage for a drawing that is played: a slider to assistive technology, named `name` and
 * described by the element with the id `hint`. `move(point, held)` is told
 * where in the picture the pointer is, in units of its view box; `held` has where it was taken and what `take()` gave
 * then. `key(name)` gets the arrows, Home, End and the page keys, and says whether it did something.
 */
export const stage = (name, hint, { take, move, key }) => {
  const box = make("div", { class: "mw-i-stage", role: "slider", tabindex: "0", "aria-label": name, "aria-describedby": hint, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 });
  const at = (event) => {
    const svg = box.querySelector("svg");
    const seen = svg.getBoundingClientRect();
    return { x: ((event.clientX - seen.left) * svg.viewBox.baseVal.width) / seen.width, y: ((event.clientY - seen.top) * svg.viewBox.baseVal.height) / seen.height };
  };
  let held = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary || !box.querySelector("svg")) return;
    const from = at(event);
    // A finger may be about to scroll the page: it acts when it moves sideways, or is lifted where it was.
    held = { from, moved: false, sure: event.pointerType !== "touch" || Boolean(event.target.closest?.(".mw-i-grip")), ...take(from) };
    box.setPointerCapture(event.pointerId);
    if (held.sure) move(from, held);
  });
  box.addEventListener("pointermove", (event) => {
    if (!held) return;
    const point = at(event);
    const [across, along] = [Math.abs(point.x - held.from.x), Math.abs(point.y - held.from.y)];
    held.sure ||= across > SLOP && across > along;
    if (!held.sure) return;
    held.moved = true;
    move(point, held);
  });
  box.addEventListener("pointerup", (event) => {
    const point = held && at(event);
    if (held && (held.sure || Math.hypot(point.x - held.from.x, point.y - held.from.y) < 2 * SLOP)) move(point, held);
    held = null;
  });
  box.addEventListener("pointercancel", () => (held = null));
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !ARROWS.has(event.key) || !key(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    box,
    /** Replace the picture, and say where on the scale it stands: {now, min, max, text}. */
    show(picture, { now, min, max, text }) {
      box.replaceChildren(picture);
      for (const [attribute, value] of [["aria-valuenow", now], ["aria-valuemin", min], ["aria-valuemax", max], ["aria-valuetext", text]]) box.setAttribute(attribute, value);
    },
  };
};
