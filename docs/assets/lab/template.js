/* The one thing that WGSL cannot say: so many copies of a line. The twin of lab/template.py. */

const put = (line, values) => line.replace(/\$\{(\w+)\}/g, (found, name) => (name in values ? String(values[name]) : found));

const expand = (lines, values) => {
  const out = [];
  for (let at = 0; at < lines.length; at += 1) {
    const word = lines[at].trim().split(/\s+/);
    if (word[0] !== "//for") {
      out.push(put(lines[at], values));
      continue;
    }
    let depth = 1;
    let end = at;
    while (depth) {
      end += 1;
      const head = lines[end].trim().split(/\s+/)[0];
      depth += (head === "//for") - (head === "//end");
    }
    for (let i = 0; i < Number(values[word[2]]); i += 1) out.push(...expand(lines.slice(at + 1, end), { ...values, [word[1]]: i }));
    at = end;
  }
  return out;
};

/** WGSL: ${NAME} replaced by its value, the lines from //for i NAME to //end repeated. A value may hold names itself. */
export const render = (source, values) => {
  let text = source;
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string" && value.includes("${")) text = text.replaceAll(`\${${name}}`, () => value);
  }
  return expand(text.split("\n"), values).join("\n");
};
