/** Figure: one block of the tiled kernel, phase by phase. */

import {
  ceilDiv,
  dot,
  loadsNaive,
  loadsTiled,
  paddedCells,
  phase,
  phaseCount,
  productsDone,
  tileSteps,
  valueA,
  valueB,
} from "./arithmetic.js";
import { cells, drawing, legend, moved, number, plural, tag, transport, within } from "./plate.js";

const WIDTH = 296; // of either drawing: what a phone shows without scaling
const GAP = 14;
const HEAD = 16;
const LARGEST = 1024;
const WITH_VALUES = 18; // px: from here on a cell has room for its number

const presets = {
  lesson: { m: 4, n: 4, k: 4, tile: 2, blockRow: 0, blockCol: 0 },
  medium: { m: 512, n: 512, k: 512, tile: 16, blockRow: 12, blockCol: 20 },
  ragged: { m: 611, n: 613, k: 617, tile: 16, blockRow: 38, blockCol: 38, at: 4 * 38 },
};

const last = (state) => phaseCount(state.k, state.tile) - 1;

function start(preset) {
  return { preset, at: 0, ty: 0, tx: 0, ...presets[preset] };
}

function change(state, name, value) {
  if (name === "preset") return start(value);
  const at = moved(name, state.at, last(state));
  if (at !== null) return { ...state, at };
  const next = { ...state, preset: "", [name]: Number(value) };
  for (const [key, , most] of LIMITS)
    next[key] = within(next[key], key.length === 1 ? 1 : 0, most(next));
  return { ...next, at: name === "ty" || name === "tx" ? next.at : 0 };
}

/** What may be typed, in an order in which each limit is known when it is needed. */
const LIMITS = [
  ["m", "M", () => LARGEST],
  ["n", "N", () => LARGEST],
  ["k", "K", () => LARGEST],
  ["blockRow", "block row", (s) => ceilDiv(s.m, s.tile) - 1],
  ["blockCol", "block column", (s) => ceilDiv(s.n, s.tile) - 1],
  ["ty", "thread row", (s) => s.tile - 1],
  ["tx", "thread column", (s) => s.tile - 1],
];

function rows(state) {
  const sizes = LIMITS.map(([name, label, most]) => {
    const min = name.length === 1 ? 1 : 0;
    return { kind: "number", name, label, value: state[name], min, max: most(state) };
  });
  const tiles = [2, 4, 8, 16, 32].map((tile) => [String(tile), `${tile} × ${tile}`]);
  sizes.splice(3, 0, {
    kind: "select",
    name: "tile",
    label: "tile",
    value: state.tile,
    options: tiles,
  });
  const options = [
    ["lesson", "4×4, tile 2"],
    ["medium", "512, one block"],
    ["ragged", "611×613×617, the corner"],
  ];
  return [
    { label: "Phases", controls: transport(state, last(state)) },
    {
      label: "Examples",
      controls: [
        { kind: "choice", name: "preset", label: "Example", value: state.preset, options },
      ],
    },
    { label: "Sizes, block and thread", folded: true, controls: sizes },
  ];
}

// ---- What stands where

/** Everything that the drawing and the words need to know of a state. */
function scene(state) {
  const { m, n, k, tile, blockRow, blockCol, ty, tx, at } = state;
  const { kind, step } = phase(at, k, tile);
  const row = blockRow * tile + ty;
  const col = blockCol * tile + tx;
  const done = productsDone(at, k, tile);
  return {
    ...state,
    kind,
    step,
    row,
    col,
    done,
    steps: tileSteps(k, tile),
    inside: row < m && col < n,
  };
}

const THREADS = {
  load: "loading",
  full: "waiting",
  multiply: "multiplying",
  free: "waiting",
  store: "holds",
};

/** The tile of A, the tile of B and the threads of the block, close up. */
function closeUp(s) {
  const size = Math.min(40, Math.floor((WIDTH - GAP) / (2 * s.tile) - (s.tile > 16 ? 0.5 : 1)));
  const pitch = size + (s.tile > 16 ? 0.5 : 1);
  const side = s.tile * pitch;
  const left = (WIDTH - 2 * side - GAP) / 2;
  const [x2, y2] = [left + side + GAP, HEAD + side + GAP + HEAD];
  const values = size >= WITH_VALUES;
  const grid = (x, y, look, value) =>
    cells(
      Array.from({ length: s.tile * s.tile }, (_, i) => {
        const [r, c] = [Math.floor(i / s.tile), i % s.tile];
        const mark = values ? value(r, c) : "";
        return { x: x + c * pitch, y: y + r * pitch, look: look(r, c), mark };
      }),
      size,
    );
  const reading = (chosen) => (s.kind === "multiply" && chosen ? "multiplying" : "holds");
  const state = s.kind === "load" ? () => "loading" : reading;
  const [firstRow, firstCol, firstP] = [s.blockRow * s.tile, s.blockCol * s.tile, s.step * s.tile];
  const inA = (r, c) => firstRow + r < s.m && firstP + c < s.k;
  const inB = (r, c) => firstP + r < s.k && firstCol + c < s.n;
  const inC = (r, c) => firstRow + r < s.m && firstCol + c < s.n;
  const ring = (x, y, r, c) =>
    tag("rect", {
      class: "ring",
      x: x + c * pitch - 1,
      y: y + r * pitch - 1,
      width: size + 2,
      height: size + 2,
    });
  const head = (x, y, text) => tag("text", { x, y: y - 5, class: "head" }, text);
  const rings = [ring(x2, y2, s.ty, s.tx)];
  if (s.kind === "load") rings.push(ring(left, y2, s.ty, s.tx), ring(x2, HEAD, s.ty, s.tx));
  return drawing(
    WIDTH,
    y2 + side + 2,
    `Close up: the tile of A, the tile of B and the threads of the block. ${says(s)}`,
    [
      head(left, y2, "tile of A"),
      grid(
        left,
        y2,
        (r, c) => (inA(r, c) ? state(r === s.ty) : "edge"),
        (r, c) => (inA(r, c) ? valueA(firstRow + r, firstP + c) : 0),
      ),
      head(x2, HEAD, "tile of B"),
      grid(
        x2,
        HEAD,
        (r, c) => (inB(r, c) ? state(c === s.tx) : "edge"),
        (r, c) => (inB(r, c) ? valueB(firstP + r, firstCol + c) : 0),
      ),
      head(x2, y2, "threads and sums"),
      grid(
        x2,
        y2,
        (r, c) => (inC(r, c) ? THREADS[s.kind] : "edge"),
        (r, c) => (inC(r, c) ? dot(firstRow + r, firstCol + c, 0, s.done) : ""),
      ),
      rings,
    ],
  );
}

/** A, B and C in global memory, with the bands that the block walks along. */
function overview(s) {
  const scale = Math.min(30, (WIDTH - GAP) / (s.k + s.n), (WIDTH - GAP) / (s.k + s.m));
  const left = (WIDTH - GAP - (s.k + s.n) * scale) / 2;
  const [x2, y2] = [left + s.k * scale + GAP, HEAD + s.k * scale + GAP + HEAD];
  const box = (x, y, w, h) =>
    tag("rect", { class: "matrix", x, y, width: w * scale, height: h * scale });
  const head = (x, y, text) => tag("text", { x, y: y - 5, class: "head" }, text);
  const [rowAt, colAt] = [s.blockRow * s.tile * scale, s.blockCol * s.tile * scale];
  const side = s.tile * scale;
  const look = (step) =>
    step === s.step && s.kind !== "store"
      ? TILE_LOOKS[s.kind]
      : step < s.step || s.kind === "store"
        ? "holds"
        : "needed";
  const gap = side > 3 ? 0.7 : 0;
  const band = Array.from({ length: s.steps }, (_, step) => [
    { x: left + step * side, y: y2 + rowAt, look: look(step) },
    { x: x2 + colAt, y: HEAD + step * side, look: look(step) },
  ]).flat();
  return drawing(
    WIDTH,
    y2 + s.m * scale + 8,
    `In global memory: A of ${s.m} × ${s.k} left of C, B of ${s.k} × ${s.n} above it. The block at block row ${s.blockRow}, block column ${s.blockCol} of C walks along a band of A and a band of B in ${plural(s.steps, "step")}.`,
    [
      head(left, y2, `A ${s.m} × ${s.k}`),
      head(x2, HEAD, `B ${s.k} × ${s.n}`),
      head(x2, y2, `C ${s.m} × ${s.n}`),
      cells(band, Math.round((side - gap) * 100) / 100),
      cells(
        [{ x: x2 + colAt, y: y2 + rowAt, look: s.kind === "store" ? "multiplying" : "holds" }],
        Math.round((side - gap) * 100) / 100,
      ),
      guides(left + s.k * scale, HEAD + s.k * scale, x2 + colAt, y2 + rowAt, side),
      box(left, y2, s.k, s.m),
      box(x2, HEAD, s.n, s.k),
      box(x2, y2, s.n, s.m),
      scale >= WITH_VALUES ? floats(s, scale, left, x2, y2) : "",
    ],
  );
}

/** From the ends of both bands to the block of C that they make. */
function guides(fromX, fromY, x, y, side) {
  const lines = `M${fromX} ${y}H${x}M${fromX} ${y + side}H${x}`;
  return tag("path", {
    class: "guide",
    d: `${lines}M${x} ${fromY}V${y}M${x + side} ${fromY}V${y}`,
  });
}

const TILE_LOOKS = { load: "loading", full: "holds", multiply: "multiplying", free: "holds" };

/** The floats of matrices that are small enough to show them. */
function floats(s, scale, left, x2, y2) {
  const at = (index) => Math.floor(index / s.tile);
  const multiplied = (row, col) => s.kind === "multiply" && row && col;
  const stored = (r, c) => s.kind === "store" && at(r) === s.blockRow && at(c) === s.blockCol;
  const write = (x, y, height, width, value, filled) =>
    Array.from({ length: height * width }, (_, i) => {
      const [r, c] = [Math.floor(i / width), i % width];
      const place = { x: x + (c + 0.5) * scale, y: y + (r + 0.5) * scale };
      const look = filled(r, c)
        ? "mark mark--multiplying"
        : s.kind === "load"
          ? "mark float"
          : "mark";
      return tag("text", { ...place, class: look }, value(r, c));
    });
  const inA = (r, c) => multiplied(at(r) === s.blockRow, at(c) === s.step);
  const inB = (r, c) => multiplied(at(r) === s.step, at(c) === s.blockCol);
  return [
    write(left, y2, s.m, s.k, valueA, inA),
    write(x2, HEAD, s.k, s.n, valueB, inB),
    write(x2, y2, s.m, s.n, (r, c) => (stored(r, c) ? dot(r, c, 0, s.k) : ""), stored),
  ];
}

function draw(state) {
  const s = scene(state);
  const looks = ["loading", "waiting", "multiplying", "holds", "needed", "edge"];
  const edge = { edge: "off the edge: loads the zero, stores nothing", needed: "still to come" };
  return tag("div", { class: "figure__pair" }, overview(s), closeUp(s)) + legend(looks, edge);
}

// ---- In words

function says(state) {
  const s = scene(state);
  const who = `thread (${s.ty}, ${s.tx})`;
  const when = `Step ${s.step + 1} of ${s.steps}`;
  const p = s.step * s.tile;
  if (s.kind === "load") return `${when}, load: ${who} copies ${loaded(s, p)} into the tiles.`;
  if (s.kind === "full")
    return `${when}, first barrier: all writes to the tiles come before any read.`;
  if (s.kind === "free")
    return `${when}, second barrier: all reads come before the next overwrite.`;
  if (s.kind === "multiply")
    return `${when}, multiply: ${s.inside ? sum(s) : `${who} is off the edge of C; nobody will store its sum`}.`;
  return `Store: ${s.inside ? `${who} writes C[${s.row}][${s.col}] = ${number(dot(s.row, s.col, 0, s.k))}` : `${who} is off the edge of C and writes nothing`}.`;
}

const sum = (s) =>
  `C[${s.row}][${s.col}] holds ${number(dot(s.row, s.col, 0, s.done))} after ${number(s.done)} of ${plural(s.k, "product")}`;

function loaded(s, p) {
  const a =
    s.row < s.m && p + s.tx < s.k
      ? `A[${s.row}][${p + s.tx}] = ${valueA(s.row, p + s.tx)}`
      : "0 for A, off the edge,";
  const b =
    p + s.ty < s.k && s.col < s.n
      ? `B[${p + s.ty}][${s.col}] = ${valueB(p + s.ty, s.col)}`
      : "0 for B, off the edge,";
  return `${a} and ${b}`;
}

function words(state) {
  const s = scene(state);
  const rowsIn = Math.min(s.tile, s.m - s.blockRow * s.tile);
  const colsIn = Math.min(s.tile, s.n - s.blockCol * s.tile);
  const off = s.tile * s.tile - rowsIn * colsIn;
  const lines = [
    says(state),
    `A is ${s.m} × ${s.k}, B is ${s.k} × ${s.n}, C is ${s.m} × ${s.n}; the tile is ${s.tile} × ${s.tile}, so there are ${plural(s.steps, "step")} along K.`,
    `The block at block row ${s.blockRow}, block column ${s.blockCol} covers rows from ${s.blockRow * s.tile} and columns from ${s.blockCol * s.tile} of C; ${plural(off, "of its threads is", "of its threads are")} off the edge.`,
    `The last step has ${plural(paddedCells(s.k, s.tile), "column")} beyond K.`,
    `By the end a thread has loaded ${number(loadsTiled(s.k, s.tile))} floats; a naive one loads ${number(loadsNaive(s.k))}.`,
  ];
  if (s.inside) lines.push(`${sum(s)}.`);
  return lines;
}

/** @type {import("./plate.js").Figure} */
export default {
  name: "phase-stepper",
  title: "One block, phase by phase",
  caption:
    "Watch one thread: in every step it loads one float of A and one of B, and multiplies with the floats of its whole row and column. The outlined cells are its own. At the corner of the ragged case, see who is off the edge and works all the same.",
  presets,
  start,
  rows,
  change,
  draw,
  says,
  words,
  last,
};
