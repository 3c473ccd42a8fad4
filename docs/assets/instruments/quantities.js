/* The book's numbers, by the keys of quantities.yml: what a page, a table and a calculator say is read from one place. */
const table = await fetch(new URL("../metalworking/quantities.json", import.meta.url)).then((answer) =>
  answer.ok ? answer.json() : Promise.reject(new Error(`quantities.json: ${answer.status}`)),
);

/** The value of a quantity in its own unit: a number, or [lowest, highest]. A key that is not there is an error. */
export const quantity = (key) => {
  if (!table[key]) throw new Error(`there is no quantity ${key}`);
  return table[key].value;
};
/** The same, or null where the book has no source. */
export const known = (key) => table[key]?.value ?? null;

/* Apple's names of the families, by generation: apple-feature-set-tables. */
const FAMILY = { M1: "Apple7", M2: "Apple8", M3: "Apple9", M4: "Apple9", M5: "Apple10" };
const FIELDS = { cores: "cores", bandwidth_gbs: "bandwidth", memory_gb: "memory", clock_mhz: "clock", tflops_fp32: "fp32" };

/** The rows of the table of chips; a number without a source is null. */
export const rows = () =>
  Object.keys(FAMILY).flatMap((generation) =>
    ["", " Pro", " Max", " Ultra"].map((tier) => `${generation}${tier}`).flatMap((chip) => {
      const key = chip.toLowerCase().replace(" ", "-");
      if (known(`${key}.cores`) === null) return [];
      const numbers = Object.entries(FIELDS).map(([name, field]) => [name, known(`${key}.${field}`)]);
      return [{ chip, family: FAMILY[generation], ...Object.fromEntries(numbers) }];
    }),
  );
/** The same by name. */
export const chips = new Map(rows().map((row) => [row.chip, row]));
