/** Figure: the last step of a size that the tile does not divide, under three guards. */

import { lastStep, lastStepFirst, paddedCells, tileSteps } from "./arithmetic.js";
import { cells, drawing, legend, number, plural, tag, within } from "./plate.js";

const TILE = 16;
const LARGEST = 2048;
const GUARDS = [
  ["none", "no guard"],
  ["no-else", "if without else"],
  ["ternary", "zero off the edge"],
];
const WHERE = [
  ["both", "both loads"],
  ["a", "A only"],
  ["b", "B only"],
];
const ORIGINS = {
  fresh: "of this step",
  stale: "stale, of the step before",
  zero: "the zero",
  beyond: "past the end: of a later row",
  outside: "outside the matrix",
  unwritten: "never written",
};

const ragged = { m: 611, n: 613, k: 617, row: 608, col: 608 };
const larger = { m: 1021, n: 1031, k: 1033, row: 1008, col: 1024 };
const presets = {
  "no-else": { ...ragged, guard: "no-else", where: "both" },
  none: { ...ragged, guard: "none", where: "both" },
  ternary: { ...ragged, guard: "ternary", where: "both" },
  "ragged-1021": { ...larger, guard: "no-else", where: "both" },
  masked: { ...ragged, guard: "no-else", where: "a" },
};

const start = (preset) => ({ ...presets[preset] });

function change(state, name, value) {
  const next = { ...state, [name]: name === "guard" || name === "where" ? value : Number(value) };
  for (const axis of ["m", "n", "k"]) next[axis] = within(next[axis], 1, LARGEST);
  next.row = within(next.row, 0, next.m - 1);
  next.col = within(next.col, 0, next.n - 1);
  return next;
}

function rows(state) {
  const box = (name, label, min, max) => ({
    kind: "number",
    name,
    label,
    value: state[name],
    min,
    max,
  });
  return [
    {
      label: "Guard",
      controls: [
        { kind: "choice", name: "guard", label: "Guard", value: state.guard, options: GUARDS },
      ],
    },
    {
      label: "Which loads",
      controls: [
        { kind: "choice", name: "where", label: "On", value: state.where, options: WHERE },
      ],
    },
    {
      label: "Sizes and the element of C",
      folded: true,
      controls: [
        box("m", "M", 1, LARGEST),
        box("n", "N", 1, LARGEST),
        box("k", "K", 1, LARGEST),
        box("row", "row of C", 0, state.m - 1),
        box("col", "column of C", 0, state.n - 1),
      ],
    },
  ];
}

/** The load that the reader left alone has the right guard. */
const guards = ({ guard, where }) => ({
  a: where === "b" ? "ternary" : guard,
  b: where === "a" ? "ternary" : guard,
});

const look = (state, row = state.row, col = state.col) =>
  lastStep(guards(state), state, row, col, TILE);

function verdict({ sum, right }) {
  if (sum === null) return ["unknown", "cannot be told"];
  return sum === right ? ["right", "right"] : ["wrong", "wrong"];
}

// ---- The drawing

/** Both tiles small, with the row and the column that the element needs. */
function tiles(state) {
  const [pitch, gap, top] = [8, 24, 16];
  const side = TILE * pitch;
  const { row, col, m, n, k } = state;
  const [ty, tx] = [row % TILE, col % TILE];
  const grid = (x, origin) =>
    cells(
      Array.from({ length: TILE * TILE }, (_, i) => {
        const [r, c] = [Math.floor(i / TILE), i % TILE];
        return { x: x + c * pitch, y: top + r * pitch, look: origin(r, c) };
      }),
      pitch - 1,
    );
  const { a, b } = guards(state);
  const first = lastStepFirst(k, TILE);
  // A row that C does not have fails the guard in every step; unguarded, it reads behind A's end.
  const below = { ternary: "zero", "no-else": "unwritten", none: "outside" };
  // A column that C does not have is the same, but unguarded it reads a later row of B, if any.
  const beside = (p, at) => (b === "none" && p * n + at < k * n ? "beyond" : below[b]);
  // A row of A's tile and a column of B's have their own origins: behind the last row lies nothing.
  const own = Array.from({ length: TILE }, (_, i) => ({
    a: row - ty + i < m ? look(state, row - ty + i, col).cells : null,
    b: col - tx + i < n ? look(state, row, col - tx + i).cells : null,
  }));
  const inA = (r, c) => own[r].a?.[c].a.origin ?? below[a];
  const inB = (r, c) => own[c].b?.[r].b.origin ?? beside(first + r, col - tx + c);
  const ring = (x, y, width, height) =>
    tag("rect", { class: "ring", x: x - 1.5, y: y - 1.5, width: width + 2, height: height + 2 });
  const xB = side + gap;
  return drawing(
    2 * side + gap,
    top + side + 3,
    `The tiles of A and B at the last step. The element needs row ${ty} of the tile of A and column ${tx} of the tile of B.`,
    [
      tag("text", { x: 0, y: 11, class: "head" }, "tile of A"),
      grid(0, inA),
      ring(0, top + ty * pitch, side, pitch),
      tag("text", { x: xB, y: 11, class: "head" }, "tile of B"),
      grid(xB, inB),
      ring(xB + tx * pitch, top, pitch, side),
    ],
  );
}

/** The sixteen products of the last step: a table, so that it can be read without the picture. */
function strip(step) {
  const shown = (value) => (value === null ? "?" : number(value));
  const line = (label, full, cell) =>
    tag(
      "tr",
      {},
      tag("th", { scope: "row" }, tag("abbr", { title: full }, label)),
      step.cells.map(cell),
    );
  const float = (side) => (each) =>
    tag(
      "td",
      { class: `float--${each[side].origin}`, title: ORIGINS[each[side].origin] },
      shown(each[side].value),
    );
  const head = step.cells.map(({ p }) => tag("th", { scope: "col" }, tag("span", {}, p)));
  return tag(
    "table",
    { class: "figure__strip" },
    tag("caption", {}, "The last step: what the thread multiplies, column by column"),
    tag("thead", {}, tag("tr", {}, tag("th", { scope: "col" }, "p"), head)),
    tag(
      "tbody",
      {},
      line("A", "float in the tile of A", float("a")),
      line("B", "float in the tile of B", float("b")),
      line("A·B", "product", ({ product, p }) =>
        tag("td", { class: "product", "data-p": p }, shown(product)),
      ),
    ),
  );
}

function sums(step) {
  const [kind, word] = verdict(step);
  const pair = (label, value, more = "") =>
    tag("div", {}, tag("dt", {}, label), tag("dd", {}, value, more));
  const sum = step.sum === null ? "?" : number(step.sum);
  const added = step.sum === null ? "?" : number(step.sum - step.before);
  return tag(
    "dl",
    { class: "figure__sums" },
    pair("before the last step", number(step.before)),
    pair("the last step adds", added),
    pair(
      "the kernel’s sum",
      tag("b", {}, sum),
      ` ${tag("span", { class: `verdict verdict--${kind}` }, word)}`,
    ),
    pair("the right sum", tag("b", {}, number(step.right))),
  );
}

function draw(state) {
  const step = look(state);
  const origins = ["fresh", "stale", "zero", "beyond", "outside", "unwritten"];
  const text = {
    ...ORIGINS,
    stale: `stale: still the float of step ${Math.max(1, tileSteps(state.k, TILE) - 1)}`,
  };
  return (
    tag("div", { class: "figure__guard" }, tiles(state), sums(step)) +
    strip(step) +
    legend(origins, text)
  );
}

// ---- In words

function says(state) {
  const step = look(state);
  const name = `C[${state.row}][${state.col}]`;
  if (paddedCells(state.k, TILE) === 0)
    return `K divides by ${TILE}: the last step has no cell off the edge, and any guard gives ${number(step.right)}.`;
  if (step.sum === null) return `${name} cannot be told: the kernel multiplies ${unknown(step)}.`;
  const origin = (side) =>
    step.cells.filter((each) => each[side].origin === "stale" || each[side].origin === "beyond")
      .length;
  if (step.sum !== step.right) {
    return `${name} comes out as ${number(step.sum)} instead of ${number(step.right)}: ${plural(origin("a"), "product")} of floats that do not belong to this step.`;
  }
  const hidden = Math.max(origin("a"), origin("b"));
  if (hidden > 0)
    return `${name} is ${number(step.sum)}, which is right by luck: the zeros of the other tile hide ${plural(hidden, "wrong float")}.`;
  return `${name} is ${number(step.sum)}, which is right: ${plural(paddedCells(state.k, TILE), "product")} of zeros add nothing.`;
}

function unknown(step) {
  const count = (origin) =>
    step.cells.flatMap(({ a, b }) => [a, b]).filter((each) => each.origin === origin).length;
  const parts = [];
  if (count("outside") > 0)
    parts.push(`${plural(count("outside"), "float")} read outside a matrix`);
  if (count("unwritten") > 0)
    parts.push(`${plural(count("unwritten"), "cell")} that nobody has written`);
  return parts.join(" and ");
}

function words(state) {
  const step = look(state);
  const first = lastStepFirst(state.k, TILE);
  const line = ({ p, a, b, product }) =>
    `p = ${p}: A ${a.value ?? "unknown"} (${ORIGINS[a.origin]}), B ${b.value ?? "unknown"} (${ORIGINS[b.origin]}), product ${product ?? "unknown"}.`;
  return [
    says(state),
    `K = ${state.k}: the last of ${plural(tileSteps(state.k, TILE), "step")} covers columns ${first} to ${first + TILE - 1}; ${plural(paddedCells(state.k, TILE), "of them lies", "of them lie")} beyond K.`,
    ...step.cells.map(line),
  ].map(String);
}

/** @type {import("./plate.js").Figure} */
export default {
  name: "guard-explorer",
  title: "Three guards at the ragged edge",
  caption:
    "The last step of one thread. Look at the cells past the edge: without an else they keep what the step before left, and the sum takes it in once more. Put the wrong guard on one load only, and see the other tile’s zeros hide it.",
  presets,
  start,
  rows,
  change,
  draw,
  says,
  words,
};
