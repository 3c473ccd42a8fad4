/* What the cards of a visit share: the device, the results, the chip, and who is running. Nothing is stored. */
import { open } from "./gpu.js";
import { Lost, Stopped } from "./method.js";
import { cases, load } from "./probes.js";
import { FULL, runCase, timer } from "./run.js";

const FORMAT = 1;
const state = { gpu: null, clock: null, results: new Map(), linked: null, busy: false, stop: false };
const heard = new EventTarget();

/** Call `run` whenever results, device or chip change, as long as the place is on the page. */
export const listen = (place, run) => {
  const tell = () => (place.isConnected ? run() : heard.removeEventListener("change", tell));
  heard.addEventListener("change", tell);
};
const changed = () => heard.dispatchEvent(new Event("change"));

export const hasWebGpu = () => Boolean(navigator.gpu);
export const result = (probe, name) => state.results.get(`${probe}/${name}`);
export const linked = () => state.linked;
export const busy = () => state.busy;
export const count = () => state.results.size;
export const device = () => (state.gpu ? { ...state.clock, info: state.gpu.info, features: state.gpu.features } : null);

export const chip = () => new URLSearchParams(location.search).get("chip") ?? "";
export const setChip = (name) => {
  const url = new URL(location.href);
  if (name) url.searchParams.set("chip", name);
  else url.searchParams.delete("chip");
  history.replaceState(history.state, "", url);
  changed();
};

const ready = async (book) => {
  if (state.gpu) return;
  const gpu = await open();
  if (!gpu) throw new Error("the browser has WebGPU, but offers no GPU here");
  const latency = cases(book.probes.find((probe) => probe.id === "latency"))[0];
  state.clock = await timer(gpu, latency, book.wgsl[latency.values.file]);
  state.gpu = gpu;
};

export const stop = () => {
  state.stop = true;
};
// A reader who leaves: no dispatch after the one in flight, and the memory goes back.
addEventListener("pagehide", () => {
  stop();
  state.gpu?.close();
  state.gpu = null;
});

/**
 * Run cases one after another. `onCase(told, at)` before each, `onRow(row, at)` after it. `place` is where it was asked
 * for: when it leaves the page, the run ends. Gives "done", "stopped" or "lost"; throws where there is no GPU.
 */
export const run = async (list, { place, size = FULL, onCase = () => {}, onRow = () => {} }) => {
  if (state.busy) return "busy";
  [state.busy, state.stop] = [true, false];
  changed();
  const stopped = () => state.stop || !place.isConnected;
  try {
    const book = await load();
    await ready(book);
    for (const [at, told] of list.entries()) {
      if (stopped()) return "stopped";
      onCase(told, at);
      const row = await runCase(state.gpu, told, book.wgsl[told.values.file], size, state.clock.step, stopped);
      state.results.set(`${told.probe}/${told.name}`, row);
      onRow(row, at);
      changed();
    }
    return "done";
  } catch (error) {
    if (error instanceof Stopped) return "stopped";
    if (!(error instanceof Lost)) throw error;
    state.gpu = null;
    return "lost";
  } finally {
    state.busy = false;
    changed();
  }
};

const system = () => {
  const agent = navigator.userAgent;
  const found = /Mac OS X|Windows|Android|Linux|iPhone|iPad/.exec(agent);
  return found ? found[0].replace(" OS X", "OS").replace("MacOS", "macOS") : "unknown";
};
const engine = () => /(Firefox|Edg|Chrome|Version)\/\d+/.exec(navigator.userAgent)?.[0].replace("Version/", "Safari ").replace("Edg/", "Edge ").replace("/", " ") ?? "unknown";
/** What this browser says of itself, for the reader to complete. */
export const self = () => ({
  chip: chip() || "unknown",
  gpu: [state.gpu?.info.vendor, state.gpu?.info.architecture, state.gpu?.info.description].filter(Boolean).join(" ") || "unknown",
  os: system(),
  engine: engine(),
});

/** The document of this visit, the form of measurements/. */
export const document_ = (machine = self()) => ({
  format: FORMAT,
  date: new Date().toISOString().slice(0, 10),
  runner: "browser",
  machine,
  timer: { kind: state.clock?.kind ?? "wall", step_ns: Math.round((state.clock?.step ?? 0) * 1e9) },
  rounds: FULL.rounds,
  results: [...state.results.values()],
});

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
/** Letters of a run in an address: all cases take a tenth of it. A link may come from anybody, and unpacks to a thousand times its length. */
const LONGEST = 1 << 14;
/** The document in an address: deflated, in base64 for URLs. */
export const toLink = async (told) => {
  const packed = await through(new TextEncoder().encode(JSON.stringify(told)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const url = new URL(location.href);
  url.searchParams.set("run", text);
  url.hash = "";
  return url.href;
};
/** What an address carries, as values by case; null where it carries nothing that reads as a run. */
export const fromLink = async (href = location.href) => {
  const text = new URL(href).searchParams.get("run");
  if (!text || text.length > LONGEST) return null;
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const told = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    const rows = told.results.filter((row) => row.state === "ok" && Number.isFinite(row.value) && row.value > 1e-12 && row.value < 1e18);
    // Nothing that cannot be seen, or that turns around what stands beside it.
    const name = String(told.machine.chip).replace(/[\p{C}\p{Z}]+/gu, " ").slice(0, 60);
    state.linked = { name, values: Object.fromEntries(rows.map((row) => [`${row.probe}/${row.case}`, row.value])) };
    changed();
    return state.linked;
  } catch {
    return null;
  }
};
