import assert from "node:assert/strict";
import { test } from "node:test";
import {
  PATTERNS,
  attainable,
  dot,
  globalAccess,
  lastStep,
  paddedCells,
  phase,
  phaseCount,
  productsDone,
  ridge,
  sharedAccess,
  valueA,
  valueB,
  warpIndices,
  warpLanes,
} from "../../docs/assets/figures/arithmetic.js";

const RAGGED = { m: 611, n: 613, k: 617 };
const both = (guard) => ({ a: guard, b: guard });

/** C[row][col] by running the kernel's own loop over a tile that keeps what it is not given. */
function simulated(guards, { m, n, k }, row, col, tile) {
  const cellsA = Array(tile).fill(NaN);
  const cellsB = Array(tile).fill(NaN);
  let sum = 0;
  for (let first = 0; first < k; first += tile) {
    for (let i = 0; i < tile; i += 1) {
      const p = first + i;
      if (row < m && p < k) cellsA[i] = valueA(row, p);
      else if (guards.a === "ternary") cellsA[i] = 0;
      if (p < k && col < n) cellsB[i] = valueB(p, col);
      else if (guards.b === "ternary") cellsB[i] = 0;
    }
    for (let i = 0; i < tile; i += 1) sum += cellsA[i] * cellsB[i];
  }
  return sum;
}

test("a ragged last step without else is wrong by the products of the step before", () => {
  const { cells, sum, right } = lastStep(both("no-else"), RAGGED, 608, 608, 16);
  assert.equal(right, dot(608, 608, 0, 617));
  assert.equal(sum - right, dot(608, 608, 601, 608)); // the seven columns under the stale cells
  assert.deepEqual(cells.slice(9).map((cell) => cell.a.origin), Array(7).fill("stale"));
  assert.equal(cells.filter((cell) => cell.a.origin === "fresh").length, 9);
});

test("the last step agrees with a run of the whole loop", () => {
  for (const guards of [both("ternary"), both("no-else"), { a: "no-else", b: "ternary" }, { a: "ternary", b: "no-else" }]) {
    for (const k of [16, 17, 31, 33, 617]) {
      for (const [row, col] of [[0, 0], [610, 612], [5, 608]]) {
        const size = { ...RAGGED, k };
        assert.equal(lastStep(guards, size, row, col, 16).sum, simulated(guards, size, row, col, 16));
      }
    }
  }
});

test("one missing else hides behind the zeros of the other tile", () => {
  for (const guards of [{ a: "no-else", b: "ternary" }, { a: "ternary", b: "no-else" }]) {
    const { sum, right } = lastStep(guards, RAGGED, 608, 608, 16);
    assert.equal(sum, right);
  }
});

test("below the tile width the cells without else were never written", () => {
  const { cells, sum } = lastStep(both("no-else"), { m: 16, n: 16, k: 9 }, 0, 0, 16);
  assert.equal(sum, null);
  assert.equal(cells[9].a.origin, "unwritten");
});

test("without a guard A reads its next row, and the last row reads outside", () => {
  const inside = lastStep({ a: "none", b: "ternary" }, RAGGED, 600, 0, 16);
  assert.deepEqual(inside.cells[9].a, { value: valueA(601, 0), origin: "beyond" });
  assert.equal(inside.sum, inside.right); // times zero
  const last = lastStep({ a: "none", b: "ternary" }, RAGGED, 610, 0, 16);
  assert.deepEqual(last.cells[9].a, { value: null, origin: "outside" });
  assert.equal(last.sum, null);
});

test("without a guard B always reads outside", () => {
  const { cells, sum } = lastStep({ a: "ternary", b: "none" }, RAGGED, 0, 0, 16);
  assert.deepEqual(cells[15].b, { value: null, origin: "outside" });
  assert.equal(sum, null);
});

test("a size that divides has nothing to guard", () => {
  for (const guard of ["none", "no-else", "ternary"]) {
    const { cells, sum, right } = lastStep(both(guard), { m: 512, n: 512, k: 512 }, 3, 4, 16);
    assert.equal(sum, right);
    assert.ok(cells.every((cell) => cell.a.origin === "fresh"));
  }
  assert.equal(paddedCells(512, 16), 0);
});

test("no value is zero, so that no stale cell can hide", () => {
  for (let i = 0; i < 100; i += 1) {
    for (let j = 0; j < 100; j += 1) {
      assert.ok([1, 2].includes(valueA(i, j)));
      assert.ok([1, 2, 3].includes(valueB(i, j)));
    }
  }
});

test("four phases a step, and the store", () => {
  assert.equal(phaseCount(4, 2), 9);
  const kinds = Array.from({ length: 9 }, (_, i) => phase(i, 4, 2).kind);
  const step = ["load", "full", "multiply", "free"];
  assert.deepEqual(kinds, [...step, ...step, "store"]);
  assert.deepEqual(Array.from({ length: 9 }, (_, i) => productsDone(i, 4, 2)), [0, 0, 2, 2, 2, 2, 4, 4, 4]);
  assert.equal(productsDone(4 * 38 + 2, 617, 16), 617); // the last step adds what there is
});

test("lanes go along x first", () => {
  const lanes = warpLanes([16, 16], 1);
  assert.equal(lanes.length, 32);
  assert.deepEqual([lanes[0], lanes[15], lanes[16]], [{ x: 0, y: 2 }, { x: 15, y: 2 }, { x: 0, y: 3 }]);
  assert.equal(warpLanes([4, 4], 0).length, 16);
});

test("a bank delivers one word a pass, and one word to any number of lanes", () => {
  assert.equal(sharedAccess(Array.from({ length: 32 }, (_, i) => i)).conflicts, 0);
  assert.equal(sharedAccess(Array(32).fill(7)).conflicts, 0);
  assert.equal(sharedAccess(Array.from({ length: 32 }, (_, i) => 2 * i)).conflicts, 1);
  assert.equal(sharedAccess(Array.from({ length: 32 }, (_, i) => 32 * i)).passes, 32);
});

test("sectors are 32 bytes, aligned", () => {
  const lanes = (offset, stride) => Array.from({ length: 32 }, (_, i) => offset + stride * i);
  assert.equal(globalAccess(lanes(0, 1)).sectors.length, 4);
  assert.equal(globalAccess(lanes(1, 1)).sectors.length, 5);
  assert.equal(globalAccess(lanes(0, 512)).sectors.length, 32);
  assert.deepEqual(globalAccess(Array(32).fill(9)), { requests: 1, sectors: [1], floats: 1 });
  assert.equal(globalAccess([]).requests, 0);
});

test("lanes off the edge of C ask for nothing", () => {
  const access = { name: "a", size: { m: 1, n: 3, k: 8 }, tile: 16, block: { row: 0, col: 0 }, warp: 0, p: 5 };
  const asked = warpIndices(access);
  assert.deepEqual(asked.slice(0, 4), [5, 5, 5, null]);
  assert.ok(asked.slice(3).every((index) => index === null));
});

test("every access names its code", () => {
  for (const { space, code } of Object.values(PATTERNS)) {
    assert.match(space, /^(shared|global)$/);
    assert.match(code, /\[.*\]/);
  }
});

test("the roof bends at the ridge", () => {
  const card = { name: "card", fp32_tflops: 8, bandwidth_gbs: 320 };
  assert.equal(ridge(card), 25);
  assert.equal(attainable(card, 25), 8000);
  assert.equal(attainable(card, 4), 1280);
  assert.equal(attainable(card, 400), 8000);
});
