/* The page Lab: every probe, all of them in a row, and what to do with the results. */
import { make, style } from "../instruments/ui.js";
import { card, chipSelect, onWidth, settle } from "./card.js";
import { cases, load } from "./probes.js";
import * as session from "./session.js";

const MISSING =
  "This browser gives pages no WebGPU. What to switch on stands under “Without WebGPU” on this page; until then the cards show the other machines' results.";
const clock = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

const copied = async (button, text, area) => {
  area.value = text;
  area.hidden = false;
  try {
    await navigator.clipboard.writeText(text);
    const was = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = was;
    }, 1500);
  } catch {
    area.focus();
    area.select();
  }
};
const control = (text) => make("button", { type: "button", class: "mw-i-button" }, text);
const field = (id, text, value) => {
  const input = make("input", { id, type: "text", value, spellcheck: "false", maxlength: 60 });
  return { input, box: make("div", { class: "mw-i-field" }, make("label", { for: id }, text), input) };
};

const share = () => {
  const area = make("textarea", { class: "mw-lab-text", rows: 6, readonly: true, hidden: true, "aria-label": "Text to copy" });
  const json = control("Copy as JSON");
  const link = control("Copy as link");
  const file = control("Copy the file");
  const told = session.self();
  const chip = field("lab-chip-name", "Chip, as in Chips", told.chip);
  const os = field("lab-os", "System and version", told.os);
  const engine = field("lab-engine", "Browser and version", told.engine);
  json.addEventListener("click", () => copied(json, JSON.stringify(session.document_(), null, 1), area));
  link.addEventListener("click", async () => copied(link, await session.toLink(session.document_()), area));
  file.addEventListener("click", () => {
    const machine = { ...session.self(), chip: chip.input.value, os: os.input.value, engine: engine.input.value };
    copied(file, `${JSON.stringify(session.document_(machine), null, 1)}\n`, area);
  });
  const form = make(
    "details",
    { class: "mw-lab-more" },
    make("summary", {}, "Contribute this machine"),
    make("p", {}, "Complete what the browser does not tell, copy the file, and send it as measurements/NAME.json in a pull request. A test holds it against the schema and against what the chip can do."),
    make("div", { class: "mw-i-fields" }, chip.box, os.box, engine.box),
    make("div", { class: "mw-i-actions" }, file),
  );
  const buttons = [json, link, file];
  const show = () => buttons.forEach((button) => (button.disabled = session.count() === 0));
  return { node: make("div", { class: "mw-lab-share" }, make("div", { class: "mw-i-actions" }, json, link), form, area), show };
};

const device = () => {
  const told = session.device();
  if (!told) return session.hasWebGpu() ? "The GPU is asked for when something runs." : MISSING;
  const name = [told.info.vendor, told.info.architecture, told.info.description].filter(Boolean).join(" ") || "a GPU that does not name itself";
  const step = told.step ? `, in steps of ${told.step >= 1e-6 ? `${(told.step * 1e6).toFixed(1)} µs` : `${Math.round(told.step * 1e9)} ns`}` : "";
  const has = ["shader-f16", "subgroups"].filter((feature) => told.features.has(feature));
  return `${name}; times from ${told.kind === "timestamp" ? "the GPU's own clock" : "the browser's clock"}${step}; ${has.length ? `with ${has.join(" and ")}` : "without shader-f16 and subgroups"}.`;
};

export const mount = async (place) => {
  const [book] = await Promise.all([load(), style(), style(new URL("lab.css", import.meta.url))]);
  const list = book.probes.flatMap((probe) => cases(probe));
  const made = book.probes.map((probe) => card(probe, book, { place }));
  const all = control("Run all");
  const bar = make("progress", { max: list.length, value: 0, "aria-label": "Progress of all probes", hidden: true });
  const says = make("p", { class: "mw-i-says", role: "status", "aria-live": "polite" });
  const left = make("p", { class: "mw-lab-left" });
  const about = make("p", { class: "mw-lab-device" });
  const sharing = share();
  let running = false;

  const show = () => {
    about.textContent = device();
    all.disabled = !session.hasWebGpu() || (session.busy() && !running);
    sharing.show();
  };
  all.addEventListener("click", async () => {
    if (running) {
      session.stop();
      return;
    }
    running = true;
    all.textContent = "Stop";
    bar.hidden = false;
    says.textContent = `Running ${list.length} cases.`;
    const start = performance.now();
    let ended = "";
    try {
      ended = await session.run(list, {
        place,
        onCase: (told, at) => {
          const passed = (performance.now() - start) / 1e3;
          left.textContent = `${at + 1} of ${list.length}: ${told.probe}, ${told.name}. ${at > 3 ? `About ${clock((passed / at) * (list.length - at))} left.` : ""}`;
        },
        onRow: (_row, at) => {
          bar.value = at + 1;
        },
      });
    } catch (error) {
      ended = error.message;
    }
    running = false;
    all.textContent = "Run all";
    bar.hidden = true;
    left.textContent = "";
    says.textContent = { done: "All probes have run.", stopped: "Stopped. What was measured stands.", lost: "The browser took the GPU away in the middle. What was measured before stands." }[ended] ?? `It did not run: ${ended}.`;
    show();
  });
  const panel = make("section", { class: "mw-lab-card", "aria-label": "All probes" }, about, make("div", { class: "mw-lab-act" }, all, bar), left, says, await chipSelect("lab-chip"), sharing.node);
  settle(place, make("div", { class: "mw-i-live mw-lab", role: "group", "aria-label": "The Lab" }, panel, made.map(({ section }) => section)));
  const again = () => made.forEach((one) => one.show());
  session.listen(place, show);
  show();
  again();
  const link = await session.fromLink();
  if (link) says.textContent = `The marks “from the link” are a run on ${link.name}.`;
  onWidth(place, again);
};
