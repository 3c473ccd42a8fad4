/* One probe, or a few, in place on a page that they concern. */
import { make, style } from "../instruments/ui.js";
import { card, chipSelect, onWidth, settle } from "./card.js";
import { load } from "./probes.js";
import { fromLink } from "./session.js";

export const mount = async (place) => {
  const [book] = await Promise.all([load(), style(), style(new URL("lab.css", import.meta.url))]);
  const asked = place.dataset.probe.split(" ");
  const made = asked.map((id) => card(book.probes.find((probe) => probe.id === id), book, { heading: "p", place }));
  const foot = make("p", { class: "mw-lab-foot" }, "Runs in this browser and sends nothing. Method, all probes and how to contribute: ", make("a", { href: new URL("../../lab/", import.meta.url) }, "the Lab"), ".");
  const live = make("div", { class: "mw-i-live", role: "group", "aria-label": "Measure it here" }, made.map(({ section }) => section), make("div", { class: "mw-lab-foot" }, await chipSelect(`chip-${asked[0]}`)), foot);
  settle(place, live);
  const show = () => made.forEach((one) => one.show());
  show();
  await fromLink();
  onWidth(place, show);
};
