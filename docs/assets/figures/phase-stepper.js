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
import { GAP, HEAD, WIDTH, WITH_VALUES, overview } from "./overview.js";
import { cells, drawing, legend, moved, number, plural, tag, transport, within } from "./plate.js";

const LARGEST = 2048;

const presets = {
  lesson: { m: 4, n: 4, k: 4, tile: 2, blockRow: 0, blockCol: 0 },
  medium: { m: 512, n: 512, k: 512, tile: 16, blockRow: 12, blockCol: 20 },
  ragged: { m: 611, n: 613, k: 617, tile: 16, blockRow: 38, blockCol: 38, at: 4 * 38 },
  "ragged-1021": { m: 1021, n: 1031, k: 1033, tile: 16, blockRow: 63, blockCol: 64, at: 4 * 64 },
};

const last = (state) => phaseCount(state.k, state.tile) - 1;

function start(preset) {
  return { preset, at: 0, ty: 0, tx: 0, ...presets[preset] };
}

function change(state, name, value) {
  if (name === "preset") return start(value);
  const at = moved(name, state.at, last(state));
  if (at !== null) return { ...state, at };
  const typed = name === "thread" ? picked(value) : { [name]: Number(value) };
  const next = { ...state, preset: "", ...typed };
  for (const [key, , most] of LIMITS)
    next[key] = within(next[key], key.length === 1 ? 1 : 0, most(next));
  // Another thread of the same block is at the same phase.
  return { ...next, at: ["ty", "tx", "thread"].includes(name) ? next.at : 0 };
}

/** The thread that the reader pointed at. */
function picked(value) {
  const [ty, tx] = value.split(" ").map(Number);
  return { ty, tx };
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
    ["ragged", "611×613×617"],
    ["ragged-1021", "1021×1031×1033"],
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
  // A smaller cell is no target: those threads have their fields under the drawing.
  const picks = values
    ? Array.from({ length: s.tile * s.tile }, (_, i) => {
        const [r, c] = [Math.floor(i / s.tile), i % s.tile];
        const place = { x: x2 + c * pitch, y: y2 + r * pitch, width: size, height: size };
        const data = { "data-pick": "thread", "data-value": `${r} ${c}` };
        return tag("rect", { class: "pick", ...data, ...place });
      })
    : "";
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
      picks,
    ],
  );
}

function draw(state) {
  const s = scene(state);
  const looks = ["loading", "waiting", "multiplying", "holds", "needed", "edge"];
  const edge = {
    edge: "off the edge: a cell gets the zero, a thread stores nothing",
    needed: "still to come",
  };
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
  s.done === 0
    ? `C[${s.row}][${s.col}] has no product yet`
    : `C[${s.row}][${s.col}] holds ${number(dot(s.row, s.col, 0, s.done))} after ${number(s.done)} of ${plural(s.k, "product")}`;

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
  const beyond = paddedCells(s.k, s.tile);
  const lines = [
    says(state),
    `A is ${s.m} × ${s.k}, B is ${s.k} × ${s.n}, C is ${s.m} × ${s.n}; the tile is ${s.tile} × ${s.tile}, so there are ${plural(s.steps, "step")} along K.`,
    `The block at block row ${s.blockRow}, block column ${s.blockCol} covers rows from ${s.blockRow * s.tile} and columns from ${s.blockCol * s.tile} of C; ${off === 0 ? "none of its threads is" : plural(off, "of its threads is", "of its threads are")} off the edge.`,
    `The last step has ${beyond === 0 ? "no column" : plural(beyond, "column")} beyond K.`,
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
