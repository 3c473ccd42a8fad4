/* What the lookup finds for what a reader types. No page is touched here, so that it can be tested by itself. */
export const plain = (text) => text.toLowerCase().replace(/[^a-z0-9+#]+/g, " ").trim();

/* Makes the rows to search from the data of the lookup; pages stand beside the terms. */
export const rowsOf = ({ pages, terms, from }) => {
  const rows = terms.filter(([cuda]) => cuda.toLowerCase() !== "none").map(([cuda, metal, verdict, url, note]) => ({ cuda, metal, verdict, url, note, key: plain(cuda) }));
  for (const [url, [title, summary, term, verdict]] of Object.entries(pages)) {
    if (term) rows.push({ cuda: title, metal: `${from}: ${term}`, verdict, url, note: summary, key: plain(title), own: true });
  }
  for (const row of rows) {
    row.squeezed = row.key.replace(/ /g, "");
    row.rest = plain(`${row.metal} ${row.note}`);
    row.title = pages[row.url]?.[0] || "";
    row.verdict ||= pages[row.url]?.[3] || "";
  }
  return rows;
};

const score = (row, query, squeezed, words) => {
  if (row.key === query || row.squeezed === squeezed) return row.own ? 95 : 100;
  if (row.squeezed.startsWith(squeezed)) return 80 - row.squeezed.length / 100;
  if (row.key.split(" ").includes(query)) return 70 - row.key.length / 100;
  if (words.every((word) => row.key.split(" ").some((part) => part.startsWith(word)))) return 60 - row.key.length / 100;
  if (row.squeezed.includes(squeezed)) return 50 - row.key.length / 100;
  if (words.every((word) => `${row.key} ${row.rest}`.includes(word))) return 20;
  return 0;
};

/* The rows that answer *text*, the best first. */
export const find = (rows, text) => {
  const query = plain(text);
  if (!query) return [];
  const squeezed = query.replace(/ /g, "");
  const words = query.split(" ");
  const seen = new Set();
  return rows
    .map((row) => [score(row, query, squeezed, words), row])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .map(([, row]) => row)
    .filter((row) => !seen.has(row.cuda + row.url) && seen.add(row.cuda + row.url))
    .slice(0, 12);
};
