/* The probes as data: each case with what its probe sets for all. The twin of lab/probes.py. */
import { render } from "./template.js";

let told;
/** What `python -m lab.site` wrote: probes, WGSL, what CUDA and what other machines measured. */
export const load = () =>
  (told ||= fetch(new URL("book.json", import.meta.url))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.status))))
    .catch((error) => {
      told = null;
      throw error;
    }));

/** The cases of a probe, in order. */
export const cases = (probe) =>
  probe.cases.map((own) => ({
    probe: probe.id,
    name: own.case,
    kind: probe.kind,
    measure: probe.measure,
    unit: probe.unit,
    check: own.check ?? probe.check,
    lengthen: own.lengthen ?? probe.lengthen ?? "STEPS",
    fixedGrid: probe.fixed_grid ?? false,
    features: own.features ?? [],
    chip: own.chip,
    values: { file: probe.file, count: probe.count ?? [], ...probe.set, ...own },
  }));

/** The values of the longer kernel: what is lengthened, twice. */
export const longer = (told) => (told.lengthen === "n" ? told.values : { ...told.values, [told.lengthen]: 2 * told.values[told.lengthen] });

export const code = (told, source, long) => render(source, long ? longer(told) : told.values);

/** What one trip of the loop adds when it is lengthened: operations, bytes, or steps of one thread. */
export const work = (told, threads) => {
  const { values } = told;
  let step = (values.STEPS ?? 1) * (told.lengthen === "EXTRA" ? values.EXTRA : 1);
  if (told.measure === "time") return step;
  if (told.kind === "gemm") return values.edge ** 3;
  if (values.per === "grid") return values.bytes * (values.entry === "copy_all" ? 2 : 1);
  for (const factor of values.count) step *= typeof factor === "string" ? values[factor] : factor;
  return step * threads;
};
