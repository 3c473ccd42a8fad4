/* Which lane holds which element. 8 x 8: ml-explore/mlx steel/gemm/mma.h L49-55 (get_coord), the same map as
   philipturner/metal-flash-attention GEMMHeaders.swift L537-568. 16 x 16: steel/gemm/nax.h L45-59. */
import { mount as place } from "./instrument.js";
import { quantity } from "./quantities.js";
import { even } from "./slider.js";
import { draw, facts, label, sheet, table } from "./ui.js";

const WIDTH = quantity("simdgroup.width");

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
  for (let lane = 0; lane < WIDTH; lane += 1) for (let at = 0; at < map.each; at += 1) {
    const [r, c] = map.coord(lane, at);
    if (r === row && c === column) return [lane, at];
  }
  return null;
};
/** The lanes that share a lane's rows: those that differ from it in bits 0 and 3. */
export const partners = (lane) => [lane, lane ^ 1, lane ^ 8, lane ^ 9];

/** Whose elements of its row a lane has added up after so many shuffles: its own, with XOR 1, with XOR 8. */
export const summed = (lane, shuffles) => partners(lane).slice(0, [1, 2, 4][shuffles]);

const geometry = (width, size) => {
  const { columns } = MAPS[size];
  const cell = Math.min(columns === 8 ? 34 : 22, Math.floor((width - 26) / columns));
  return { cell, left: 24, top: 18, columns };
};
const picture = (view, width, ghost) => {
  const { state, lane, row } = view;
  const map = MAPS[state.size];
  const { cell, left, top } = geometry(width, state.size);
  const edge = (index) => left + index * cell;
  const down = (index) => top + index * cell;
  const has = summed(lane, state.shuffles);
  const friends = partners(lane);
  const parts = [];
  for (let each = 0; each < WIDTH; each += 1) {
    for (let at = 0; at < map.each; at += 1) {
      const [r, c] = map.coord(each, at);
      // Once a shuffle has run, what counts is the row: the parts that the lane has added up.
      const inRow = r === row;
      const mine = state.shuffles === 0 ? each === lane : inRow && has.includes(each);
      const cls = mine ? "mw-registers" : friends.includes(each) ? "mw-registers mw-part" : "d-box";
      parts.push(draw("rect", { class: cls, x: edge(c) + 0.5, y: down(r) + 0.5, width: cell - 1, height: cell - 1 }));
      if (cell >= 16) parts.push(label(edge(c) + cell / 2, down(r) + cell / 2 + 4, each, mine ? "d-s d-mid d-on mw-registers" : cls === "d-box" ? "d-s d-mid" : "d-s d-mid d-on"));
    }
  }
  for (let column = 0; column < map.columns; column += 1) if (cell >= 22 || column % 4 === 0) parts.push(label(edge(column) + cell / 2, top - 5, column, "d-s d-mid"));
  for (let each = 0; each < map.rows; each += 1) if (cell >= 22 || each % 4 === 0) parts.push(label(left - 5, down(each) + cell / 2 + 4, each, "d-s d-end"));
  const outline = (one, cls) => Array.from({ length: map.each }, (_, at) => map.coord(one, at)).map(([r, c]) => draw("rect", { class: cls, x: edge(c) + 2, y: down(r) + 2, width: cell - 4, height: cell - 4 }));
  if (ghost && ghost.state.size === state.size) parts.push(outline(ghost.lane, "i-ghost"));
  if (state.by === "element") parts.push(draw("rect", { class: "i-cursor", x: edge(view.column) + 1, y: down(row) + 1, width: cell - 2, height: cell - 2 }));
  // The strip: the four lanes of the row and what each has of it.
  const strip = down(map.rows) + 30;
  const each = Math.min(92, (width - left - 6) / 4);
  const ordered = [...friends].sort((a, b) => map.coord(a, 0)[1] - map.coord(b, 0)[1]);
  const columnsOf = (one) => Array.from({ length: map.each }, (_, at) => map.coord(one, at)).filter(([r]) => r === map.coord(one, row >= 8 ? 4 : 0)[0]).map(([, c]) => c);
  parts.push(label(left, strip - 8, `row ${row}: ${["each lane has its own", "after the shuffle by XOR 1", "after XOR 1 and XOR 8"][state.shuffles]}`));
  ordered.forEach((one, at) => {
    const x = left + at * each;
    parts.push(draw("rect", { class: one === lane ? "mw-registers" : "mw-registers mw-part", x: x + 0.5, y: strip, width: each - 5, height: 22 }));
    parts.push(label(x + (each - 5) / 2, strip + 15, `lane ${one}`, one === lane ? "d-s d-mid d-on mw-registers" : "d-s d-mid d-on"));
    const sum = summed(one, state.shuffles).flatMap(columnsOf).sort((a, b) => a - b);
    const runs = [];
    for (const c of sum) {
      if (runs.length && runs.at(-1)[1] === c - 1) runs.at(-1)[1] = c;
      else runs.push([c, c]);
    }
    parts.push(label(x + (each - 5) / 2, strip + 37, runs.map(([a, b]) => `${a}–${b}`).join(", "), "d-s d-mid"));
    const mask = [0, 1, 8][state.shuffles];
    if (mask && one < (one ^ mask)) {
      const [from, to] = [x, left + ordered.indexOf(one ^ mask) * each].map((place) => place + (each - 5) / 2).sort((a, b) => a - b);
      const deep = strip + 46 + (mask === 8 && ordered.indexOf(one) % 2 ? 10 : 0);
      parts.push(draw("path", { class: "i-swap", d: `M${from} ${strip + 42}V${deep + 8}H${to}V${strip + 42}` }));
    }
  });
  return { svg: sheet(width, strip + 68, parts), cell, left, top };
};

const bits = (lane) => lane.toString(2).padStart(5, "0");
const read = (state) => {
  const map = MAPS[state.size];
  const row = Math.min(state.row, map.rows - 1);
  const column = Math.min(state.column, map.columns - 1);
  const [lane, which] = state.by === "lane" ? [state.lane, null] : owner(state.size, row, column);
  const held = Array.from({ length: map.each }, (_, at) => map.coord(lane, at));
  return { state, map, lane, which, held, row: state.by === "lane" ? held[0][0] : row, column: state.by === "lane" ? held[0][1] : column };
};
const touch = (size, row, column) => ({ by: "element", row, column, lane: owner(size, row, column)[0] });
const hand = {
  name: "A cell of the fragment",
  hint: "touch a cell",
  at: ({ row, column, lane, map }) => ({ now: row * map.columns + column, min: 0, max: map.rows * map.columns - 1, text: `row ${row}, column ${column}, lane ${lane}` }),
  move(point, { state, scale: { cell, left, top } }) {
    const map = MAPS[state.size];
    const [row, column] = [Math.floor((point.y - top) / cell), Math.floor((point.x - left) / cell)];
    return row >= 0 && row < map.rows && column >= 0 && column < map.columns ? touch(state.size, row, column) : null;
  },
  key(name, { state, row, column, map }) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-8, 0], PageDown: [8, 0], Home: [0, -99], End: [0, 99] }[name];
    const within = (value, size) => Math.min(size - 1, Math.max(0, value));
    return touch(state.size, within(row + down, map.rows), within(column + right, map.columns));
  },
};

const SHUFFLES = [["0", "none"], ["1", "XOR 1"], ["2", "XOR 1, XOR 8"]];
const byElement = (_, state) => touch(state.size, Math.min(state.row, MAPS[state.size].rows - 1), Math.min(state.column, MAPS[state.size].columns - 1));
const spec = {
  title: "The lane map of a fragment",
  controls: [
    { key: "size", label: "Fragment", value: "8", front: true, wide: true, options: [["8", "8 × 8, simdgroup_matrix"], ["16", "16 × 16, NAX on M5"]], sets: (_, state) => (state.by === "element" ? byElement(_, state) : {}) },
    { key: "by", label: "Ask by", value: "lane", hidden: true, options: [["lane", "lane"], ["element", "row and column"]] },
    { key: "lane", label: "Lane", value: 5, min: 0, max: WIDTH - 1, whole: true, stops: even(0, WIDTH - 1), sets: () => ({ by: "lane" }) },
    { key: "shuffles", label: "Shuffles of a row sum", value: "0", options: SHUFFLES, stops: SHUFFLES.map(([key]) => key) },
    { key: "row", label: "Row", value: 0, min: 0, max: 15, whole: true, sets: byElement },
    { key: "column", label: "Column", value: 0, min: 0, max: 15, whole: true, sets: byElement },
  ],
  read: (state) => read({ ...state, shuffles: Number(state.shuffles) }),
  picture, hand,
  play: {
    label: "Play the row sum",
    advance: ({ state }, first) => (state.shuffles < 2 ? { shuffles: String(state.shuffles + 1) } : first ? { shuffles: "0" } : null),
  },
  says({ state, lane, which, held, row, column }) {
    const [, one, eight, nine] = partners(lane);
    const sum = ["", ` After XOR 1 it has added up its own and lane ${one}'s part of row ${row}.`, ` After XOR 1 and XOR 8 all four lanes have the sum of row ${row}.`][state.shuffles];
    return `${state.by === "lane" ? `Lane ${lane}` : `Element (${row}, ${column}) is number ${which} of lane ${lane}, which`} holds ${held.length > 2 ? `rows ${held[0][0]} and ${held.at(-1)[0]}, columns ${held[0][1]} to ${held.at(-1)[1]}` : held.map(([r, c]) => `(${r}, ${c})`).join(", ")}. Its rows are complete with lanes ${one}, ${eight} and ${nine}.${sum}`;
  },
  figures: ({ lane, held, map }) => [
    ["lane", null, String(lane)],
    ["row", null, [...new Set(held.map(([r]) => r))].join(" and ")],
    ["columns", null, [...new Set(held.map(([, c]) => c))].join(", ")],
    ["elements", map.each, String(map.each)],
  ],
  details({ state, map, lane, held }) {
    const quad = lane >> 2;
    const [, one, eight] = partners(lane);
    return [
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
    ];
  },
};
export const mount = (element) => place(element, spec);
