/* Which lane holds which element. 8 x 8: ml-explore/mlx steel/gemm/mma.h L49-55 (get_coord), the same map as
   philipturner/metal-flash-attention GEMMHeaders.swift L537-568. 16 x 16: steel/gemm/nax.h L45-59. */
import { chart, draw, facts, label, mount as place, table } from "./ui.js";

/** Row and column of a lane's element `at`. */
export const MAPS = {
  8: {
    rows: 8, columns: 8, each: 2,
    coord(lane, at) {
      const quad = lane >> 2;
      return [(quad & 4) + ((lane >> 1) & 3), (quad & 2) * 2 + (lane & 1) * 2 + at];
    },
  },
  16: {
    rows: 16, columns: 16, each: 8,
    coord(lane, at) {
      const quad = lane >> 2;
      return [((quad & 4) | ((lane >> 1) & 3)) + (at >> 2) * 8, ((quad & 2) | (lane & 1)) * 4 + (at & 3)];
    },
  },
};
/** Who holds an element: [lane, which of its elements]. */
export const owner = (size, row, column) => {
  const map = MAPS[size];
  for (let lane = 0; lane < 32; lane += 1) for (let at = 0; at < map.each; at += 1) {
    const [r, c] = map.coord(lane, at);
    if (r === row && c === column) return [lane, at];
  }
  return null;
};
/** The lanes that share a lane's rows: those that differ from it in bits 0 and 3. */
export const partners = (lane) => [lane, lane ^ 1, lane ^ 8, lane ^ 9];

const picture = (width, size, chosen) => {
  const map = MAPS[size];
  const cell = Math.min(46, Math.floor((width - 40) / map.columns));
  const left = 28;
  const top = 22;
  const friends = partners(chosen);
  const parts = [];
  for (let lane = 0; lane < 32; lane += 1) {
    for (let at = 0; at < map.each; at += 1) {
      const [row, column] = map.coord(lane, at);
      const cls = lane === chosen ? "d-hot" : friends.includes(lane) ? "d-c" : "d-box";
      const x = left + column * cell;
      const y = top + row * cell;
      parts.push(draw("rect", { class: cls, x: x + 0.5, y: y + 0.5, width: cell - 1, height: cell - 1 }));
      if (cell >= 17) parts.push(label(x + cell / 2, y + cell / 2 + 4, lane, `d-s d-mid${cls === "d-box" ? "" : " d-on"}`));
    }
  }
  for (let column = 0; column < map.columns; column += 1) parts.push(cell >= 17 || column % 4 === 0 ? label(left + column * cell + cell / 2, top - 6, column, "d-s d-mid") : null);
  for (let row = 0; row < map.rows; row += 1) parts.push(cell >= 17 || row % 4 === 0 ? label(left - 6, top + row * cell + cell / 2 + 4, row, "d-s d-end") : null);
  const holds = Array.from({ length: map.each }, (_, at) => map.coord(chosen, at));
  return chart(
    width, top + map.rows * cell + 6, `Lanes of a ${size} by ${size} fragment`,
    `Each cell shows the lane that holds it. Lane ${chosen} holds row ${[...new Set(holds.map(([row]) => row))].join(" and ")}, columns ${[...new Set(holds.map(([, column]) => column))].join(", ")}. Lanes ${friends.slice(1).join(", ")} hold the rest of its rows.`,
    parts,
  );
};

const bits = (lane) => lane.toString(2).padStart(5, "0");
const spec = {
  title: "The lane map of a fragment",
  controls: [
    { key: "size", label: "Fragment", value: "8", options: [["8", "8 × 8, simdgroup_matrix"], ["16", "16 × 16, NAX on M5"]] },
    { key: "by", label: "Ask by", value: "lane", options: [["lane", "lane"], ["element", "row and column"]] },
    { key: "lane", label: "Lane", value: 5, min: 0, max: 31, whole: true, steps: true, when: (state) => state.by === "lane" },
    { key: "row", label: "Row", value: 0, min: 0, max: 15, whole: true, when: (state) => state.by === "element" },
    { key: "column", label: "Column", value: 0, min: 0, max: 15, whole: true, when: (state) => state.by === "element" },
  ],
  render(state, width) {
    const map = MAPS[state.size];
    const row = Math.min(state.row, map.rows - 1);
    const column = Math.min(state.column, map.columns - 1);
    const [lane, which] = state.by === "lane" ? [state.lane, null] : owner(state.size, row, column);
    const held = Array.from({ length: map.each }, (_, at) => map.coord(lane, at));
    const quad = lane >> 2;
    const [, one, eight, nine] = partners(lane);
    return {
      says: `${state.by === "lane" ? `Lane ${lane}` : `Element (${row}, ${column}) is number ${which} of lane ${lane}, which`} holds ${held.map(([r, c]) => `(${r}, ${c})`).join(", ")}. Its rows are complete with lanes ${one}, ${eight} and ${nine}.`,
      shows: [
        picture(width, state.size, lane),
        table(`From lane to place, lane ${lane} = ${bits(lane)} in binary`, ["Step", "Value"], state.size === "8"
          ? [
              ["qid = lane / 4", String(quad)],
              ["row = (qid & 4) + (lane / 2) % 4", `${quad & 4} + ${(lane >> 1) & 3} = ${held[0][0]}`],
              ["column = (qid & 2) × 2 + (lane % 2) × 2", `${(quad & 2) * 2} + ${(lane & 1) * 2} = ${held[0][1]}`],
            ]
          : [
              ["qid = lane >> 2", String(quad)],
              ["row = (qid & 4) | (lane >> 1 & 3)", `${quad & 4} | ${(lane >> 1) & 3} = ${held[0][0]}, and ${held[4][0]}`],
              ["column = ((qid & 2) | (lane & 1)) × 4", `${(quad & 2) | (lane & 1)} × 4 = ${held[0][1]}`],
            ], { numbers: false }),
        facts([
          ["Registers per lane", state.size === "8" ? "2 in fp32, 1 in half" : "8 in fp32, 4 in half", `${map.each} elements`],
          ["A row reduction", `own ${map.each === 2 ? "two values" : "four values of the row"}, then two shuffles`, `by XOR 1 (lane ${one}) and XOR 8 (lane ${eight})`],
          ["Promised by Apple", "no", "the specification leaves the map open; MLX has it compiled in"],
        ]),
      ],
    };
  },
};
export const mount = (element) => place(element, spec);
