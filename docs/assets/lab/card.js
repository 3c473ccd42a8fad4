/* One probe: what it asks, a button, and its results beside the book's. */
import { make, round, table } from "../instruments/ui.js";
import { picture } from "./picture.js";
import { cases } from "./probes.js";
import * as session from "./session.js";

/* Asked when a reader looks for a chip's figures: a page with one probe does not need them. */
const chips = () => import("../instruments/quantities.js").then((found) => found.chips);

const UNITS = { us: "µs" };
export const unit = (told) => UNITS[told.unit] ?? told.unit;
const SHARE = "of its own f32 rate";
const LINKS = "in its own dependent FMAs";

/** What the book has of a chip for a case, in its unit: a measurement that it cites, else a published peak, or null. */
export const known = (row, told, cited) => {
  const measured = cited[`${told.probe}/${told.name}`]?.[row?.chip];
  if (measured) return measured;
  const value = told.chip && row?.[told.chip];
  if (!value) return null;
  return told.chip === "tflops_fp32" ? value * 500 : value;
};

/** A value against this machine's own multiply-adds: a share of their rate, or how many dependent ones last as long. */
export const relative = (told, value, rate, alone) => {
  if (told.unit === "G/s" && rate) return `${round((value / rate) * 100)}%`;
  if (told.unit === "ns" && alone) return round(value / (32 / alone));
  return "";
};

/** A section for a probe. `heading` is the element that names it. */
export const card = (probe, book, { heading = "h3", place }) => {
  const list = cases(probe);
  const what = unit(list[0]);
  const title = make(heading, { class: heading === "p" ? "mw-i-title" : "mw-lab-title", id: `lab-${probe.id}` }, probe.title);
  const button = make("button", { type: "button", class: "mw-i-button mw-lab-run" }, "Run");
  const bar = make("progress", { max: list.length, value: 0, "aria-label": `Progress of ${probe.title}`, hidden: true });
  const says = make("p", { class: "mw-i-says", role: "status", "aria-live": "polite" });
  const shows = make("div", { class: "mw-i-shows" });
  const numbers = make("div");
  const details = make("details", { class: "mw-lab-more" }, make("summary", {}, "All numbers, and how it is measured"), make("p", {}, probe.why), numbers);
  const section = make(
    "section",
    { class: "mw-lab-card", "aria-labelledby": `lab-${probe.id}` },
    title,
    make("p", { class: "mw-lab-asks" }, probe.asks),
    make("div", { class: "mw-lab-act" }, button, bar),
    says,
    shows,
    details,
  );
  let running = false;
  let chipRow = null;

  const tell = () => {
    const rows = list.map((told) => session.result(probe.id, told.name));
    const ok = rows.filter((row) => row?.state === "ok");
    if (running) return;
    if (!rows.some(Boolean)) says.textContent = session.hasWebGpu() ? "Not run yet on this machine." : "This browser gives pages no WebGPU, so nothing runs here. The other machines' results stand below.";
    else {
      const not = rows.filter((row) => row && row.state !== "ok").length;
      says.textContent = `${ok.length} of ${list.length} cases ${ok.length === 1 ? "has" : "have"} a number${not ? `; ${not} ${not === 1 ? "has" : "have"} none, and the table says why` : ""}.`;
    }
  };
  const show = () => {
    const width = Math.max(280, Math.min(900, Math.floor((shows.clientWidth || 700) - 4)));
    const other = session.linked();
    const h200 = book.machines.find((machine) => machine.chip === "H200");
    const key = (told) => `${probe.id}/${told.name}`;
    const series = {
      own: "This machine",
      h200: "H200, the same WGSL",
      chip: chipRow ? `${chipRow.chip}, in this book` : "",
      linked: other ? `${other.name}, from the link` : "",
    };
    const rows = list.map((told) => {
      const row = session.result(probe.id, told.name);
      return {
        name: told.name,
        marks: { own: row?.value ?? 0, h200: h200?.values[key(told)] ?? 0, chip: known(chipRow, told, book.cited) ?? 0, linked: other?.values[key(told)] ?? 0 },
        spread: row?.spread,
        note: row && row.state !== "ok" ? { unstable: "not stable", unsupported: "not here", wrong: "wrong result", lost: "device lost" }[row.state] : "",
      };
    });
    const drawn = picture(width, probe.title, what, rows, series);
    shows.replaceChildren(...(drawn ? [make("p", { class: "mw-i-cap", "aria-hidden": "true" }, `${list[0].measure === "rate" ? `${probe.counts}, ` : ""}${what}, logarithmic scale`), drawn] : []));

    const rate = session.result("fma", "8 chains")?.value;
    const alone = session.result("latency", "1 group")?.value;
    const heads = ["Case", `This machine, ${what}`, "Quartiles", list[0].unit === "ns" ? LINKS : SHARE, "H200, WGSL", "H200, CUDA"];
    if (list.some((told) => known(chipRow, told, book.cited))) heads.push(`${chipRow.chip}, in this book`);
    const lines = list.map((told) => {
      const row = session.result(probe.id, told.name);
      const cuda = book.cuda[probe.id]?.[told.name];
      const line = [
        told.name,
        row ? (row.state === "ok" ? round(row.value, 4) : `${row.state === "unstable" ? "not stable" : row.state}: ${row.why}`) : "",
        row?.spread ? `${round(row.spread[0], 4)} to ${round(row.spread[1], 4)}` : "",
        row?.value ? relative(told, row.value, rate, alone) : "",
        h200?.values[key(told)] ? round(h200.values[key(told)], 4) : "",
        cuda ? round(cuda, 4) : "",
      ];
      if (heads.length > 6) line.push(known(chipRow, told, book.cited) ? round(known(chipRow, told, book.cited), 4) : "");
      return line;
    });
    numbers.replaceChildren(table(`${probe.title}: ${probe.counts}`, heads, lines));
    tell();
    button.disabled = !session.hasWebGpu() || (session.busy() && !running);
  };
  const chosen = async () => {
    const name = session.chip();
    const all = name ? await chips().catch(() => null) : null;
    chipRow = all?.get(name) ?? null;
    show();
  };
  button.addEventListener("click", async () => {
    if (running) {
      session.stop();
      return;
    }
    running = true;
    button.textContent = "Stop";
    bar.hidden = false;
    bar.value = 0;
    let ended = "";
    try {
      ended = await session.run(list, {
        place,
        onCase: (told, at) => {
          says.textContent = `Running ${told.name}, ${at + 1} of ${list.length}.`;
        },
        onRow: (_row, at) => {
          bar.value = at + 1;
        },
      });
    } catch (error) {
      ended = error.message;
    }
    running = false;
    button.textContent = session.result(probe.id, list[0].name) ? "Run again" : "Run";
    bar.hidden = true;
    show();
    if (ended === "stopped") says.textContent = `Stopped. ${says.textContent}`;
    else if (ended === "lost") says.textContent = "The browser took the GPU away in the middle. What was measured before stands; run again to get it back.";
    else if (ended !== "done") says.textContent = `It did not run: ${ended}.`;
  });
  session.listen(place, chosen);
  return { section, show: chosen };
};

/** A select for the chip whose published figures stand beside. */
export const chipSelect = async (id) => {
  const all = await chips().catch(() => new Map());
  const select = make("select", { id }, make("option", { value: "" }, "none"), [...all.keys()].map((name) => make("option", { value: name }, name)));
  select.value = all.has(session.chip()) ? session.chip() : "";
  select.addEventListener("change", () => session.setChip(select.value));
  return make("div", { class: "mw-i-field" }, make("label", { for: id }, "Beside the book's figures of"), select);
};

/** Keep a place's own content for paper and for browsers without scripts, and put what lives before it. */
export const settle = (place, live) => {
  const still = make("div", { class: "mw-i-static" });
  still.append(...place.childNodes);
  place.append(live, still);
  place.classList.add("mw-i-on");
};
/** Call `run` when the width of a place changes. */
export const onWidth = (place, run) => {
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (!place.isConnected || Math.abs(place.clientWidth - width) < 8) return;
    width = place.clientWidth;
    run();
  }).observe(place);
};
