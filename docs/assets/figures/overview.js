/** The phase stepper's map: A, B and C in global memory, and where the block is. */

import { dot, valueA, valueB } from "./arithmetic.js";
import { cells, drawing, plural, tag } from "./plate.js";

export const WIDTH = 296; // of either drawing: what a phone shows without scaling
export const GAP = 14;
export const HEAD = 16;
export const WITH_VALUES = 18; // px: from here on a cell has room for its number
const LETTER = 7; // px: no letter of a head is wider, on the average

const TILE_LOOKS = { load: "loading", full: "holds", multiply: "multiplying", free: "holds" };

/** How a step's tiles look by now. */
function lookOf(s, step) {
  if (s.kind === "store" || step < s.step) return "holds";
  return step === s.step ? TILE_LOOKS[s.kind] : "needed";
}

/** A, B and C in global memory, with the bands that the block walks along. */
export function overview(s) {
  const scale = Math.min(30, (WIDTH - GAP) / (s.k + s.n), (WIDTH - GAP) / (s.k + s.m));
  const [wide, deep] = [s.k * scale, s.m * scale];
  const left = (WIDTH - GAP - (s.k + s.n) * scale) / 2;
  const [x2, y2] = [left + wide + GAP, HEAD + wide + GAP + HEAD];
  const box = (x, y, w, h) =>
    tag("rect", { class: "matrix", x, y, width: w * scale, height: h * scale });
  // A head starts with its matrix, unless it would then end outside the drawing.
  const head = (from, y, text) => {
    const x = Math.max(0, Math.min(from, WIDTH - LETTER * text.length));
    return tag("text", { x, y, class: "head" }, text);
  };
  const nameA = `A ${s.m} × ${s.k}`;
  const under = x2 - left < LETTER * nameA.length; // else the heads of A and C would collide
  // Tiles are cut where their matrix ends: the last ones may reach far beyond it.
  const [row, col] = [s.blockRow * s.tile, s.blockCol * s.tile];
  const cut = (from, end) => Math.min(s.tile, end - from) * scale;
  const [x, y, width, height] = [x2 + col * scale, y2 + row * scale, cut(col, s.n), cut(row, s.m)];
  const trim = (side) => (side > 3 ? side - 0.7 : side);
  const band = Array.from({ length: s.steps }, (_, step) => {
    const from = step * s.tile;
    const [look, along] = [lookOf(s, step), trim(cut(from, s.k))];
    return [
      { x: left + from * scale, y, width: along, height: trim(height), look },
      { x, y: HEAD + from * scale, width: trim(width), height: along, look },
    ];
  }).flat();
  const done = s.kind === "store" ? "multiplying" : "holds";
  const block = { x, y, width: trim(width), height: trim(height), look: done };
  return drawing(
    WIDTH,
    y2 + deep + (under ? 18 : 8),
    `In global memory: A of ${s.m} × ${s.k} left of C, B of ${s.k} × ${s.n} above it. The block at block row ${s.blockRow}, block column ${s.blockCol} of C walks along a band of A and a band of B in ${plural(s.steps, "step")}.`,
    [
      head(left, under ? y2 + deep + 14 : y2 - 5, nameA),
      head(x2, HEAD - 5, `B ${s.k} × ${s.n}`),
      head(x2, y2 - 5, `C ${s.m} × ${s.n}`),
      cells([...band, block], s.tile * scale),
      guides(left + wide, HEAD + wide, block),
      box(left, y2, s.k, s.m),
      box(x2, HEAD, s.n, s.k),
      box(x2, y2, s.n, s.m),
      scale >= WITH_VALUES ? floats(s, scale, left, x2, y2) : "",
    ],
  );
}

/** From the ends of both bands to the block of C that they make. */
function guides(fromX, fromY, { x, y, width, height }) {
  const lines = `M${fromX} ${y}H${x}M${fromX} ${y + height}H${x}`;
  return tag("path", {
    class: "guide",
    d: `${lines}M${x} ${fromY}V${y}M${x + width} ${fromY}V${y}`,
  });
}

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
