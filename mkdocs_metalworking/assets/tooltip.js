/* What is known of one thing on a page, in a box beside it: on hover, on focus, when a module asks. */
import { make, onPage } from "./base.js";

/* Puts *tip* below its anchor, above it where there is no room, and never over the window's edge. */
const place = (tip, anchor) => {
  const box = anchor.getClientRects()[0] || anchor.getBoundingClientRect();
  const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 12));
  const below = box.bottom + 6 + tip.offsetHeight < innerHeight || box.top < tip.offsetHeight + 60;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + scrollY}px`;
};

/* *at* gives the thing that an event is about, or null. *tell* gives [class, ...elements] for a thing, or nothing. */
export const tooltip = (id, at, tell) => {
  const tip = make("div");
  tip.id = id;
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  let anchor = null;
  let timer = 0;
  let pointer = "mouse";

  const hide = () => {
    clearTimeout(timer);
    anchor?.removeAttribute("aria-describedby");
    anchor = null;
    tip.hidden = true;
  };
  const show = async (thing) => {
    const found = await tell(thing);
    if (!found || !thing.isConnected) return false;
    hide();
    anchor = thing;
    const [classes, ...elements] = found;
    tip.className = classes;
    tip.replaceChildren(...elements);
    (document.querySelector("main") || document.body).append(tip);
    tip.hidden = false;
    thing.setAttribute("aria-describedby", tip.id);
    place(tip, thing);
    return true;
  };
  const later = (run, wait) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };

  document.addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
  const over = (event) => {
    if (event.pointerType === "touch") return;
    const thing = at(event);
    if (thing) {
      if (thing === anchor) clearTimeout(timer);
      else later(() => show(thing), 220);
    } else if (tip.contains(event.target)) clearTimeout(timer);
    else if (anchor !== document.activeElement) later(hide, 200);
  };
  const focused = (event) => {
    const thing = at(event);
    if (thing?.matches(":focus-visible") && pointer !== "touch") show(thing);
    else if (anchor && !tip.contains(event.target)) hide();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", focused);
  document.addEventListener("keydown", (event) => {
    pointer = "key";
    if (event.key === "Escape") hide();
  });
  onPage(hide);
  return {
    show,
    hide,
    shows: (thing) => thing === anchor,
    holds: (element) => tip.contains(element),
    touched: () => pointer === "touch",
    /* For an event from before the module was here. */
    meet: (event) => (event.type === "focusin" ? focused : over)(event),
  };
};
