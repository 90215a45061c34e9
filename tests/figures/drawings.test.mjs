import assert from "node:assert/strict";
import { test } from "node:test";
import bankView from "../../docs/assets/figures/bank-view.js";
import barrierTimeline from "../../docs/assets/figures/barrier-timeline.js";
import calculator from "../../docs/assets/figures/calculator.js";
import guardExplorer from "../../docs/assets/figures/guard-explorer.js";
import phaseStepper from "../../docs/assets/figures/phase-stepper.js";

const SIZES = [1, 3, 5, 17, 100, 1024];
const TILES = [2, 4, 8, 16, 32];
const LETTER = 6.5; // px: at least what a letter of a head takes, on the average
const CARD = { name: "card", fp32_tflops: 8, bandwidth_gbs: 320 };

const attributes = (text) =>
  Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
const numbered = (text, names) => names.map((name) => Number(attributes(text)[name]));

/** The points that a path goes through; the figures use these commands only. */
function points(d) {
  let [x, y] = [0, 0];
  return [...d.matchAll(/([MHVhvz])([^MHVhvz]*)/g)].map(([, command, given]) => {
    const [a, b] = given.trim().split(/\s+/).map(Number);
    if (command === "M") [x, y] = [a, b];
    if (command === "H") x = a;
    if (command === "V") y = a;
    if (command === "h") x += a;
    if (command === "v") y += a;
    return [x, y];
  });
}

/** Every corner of what an SVG draws. */
function corners(svg) {
  const found = [...svg.matchAll(/<path [^>]*>/g)].flatMap(([path]) => points(attributes(path).d));
  for (const [rect] of svg.matchAll(/<rect [^>]*>/g)) {
    const [x, y, width, height] = numbered(rect, ["x", "y", "width", "height"]);
    assert.ok(width > 0 && height > 0, rect);
    found.push([x, y], [x + width, y + height]);
  }
  for (const [, head, text] of svg.matchAll(/(<text [^>]*class="head"[^>]*>)([^<]*)/g)) {
    const [x, y] = numbered(head, ["x", "y"]);
    found.push([x, y - 9], [x + LETTER * text.length, y + 3]);
  }
  return found;
}

const drawings = (html) => html.match(/<svg viewBox="[^"]*"[^>]* role="img".*?<\/svg>/gs);

function assertInside(html, what) {
  for (const svg of drawings(html)) {
    const [, , width, height] = attributes(svg).viewBox.split(" ").map(Number);
    for (const [x, y] of corners(svg)) {
      const inside = x >= -1.1 && y >= -1.1 && x <= width + 1.1 && y <= height + 1.1;
      assert.ok(inside, `${what}: ${x} ${y} is outside ${width} × ${height}`);
    }
  }
}

const stepper = (given) => ({ ...phaseStepper.start("lesson"), preset: "", ...given });

test("no part of the stepper leaves its drawing", () => {
  for (const m of SIZES) for (const n of SIZES) for (const k of SIZES) for (const tile of TILES) {
    const [blockRow, blockCol] = [Math.ceil(m / tile) - 1, Math.ceil(n / tile) - 1];
    const state = stepper({ m, n, k, tile, blockRow, blockCol });
    assertInside(phaseStepper.draw(state), JSON.stringify(state));
  }
});

test("no tile of the stepper leaves its matrix", () => {
  for (const [m, n, k, tile, blockCol] of [[4, 4, 4, 16, 0], [1, 1, 1, 32, 0], [4, 5, 4, 4, 1], [1, 3, 100, 32, 0]]) {
    const [map] = drawings(phaseStepper.draw(stepper({ m, n, k, tile, blockCol })));
    const boxes = [...map.matchAll(/<rect class="matrix"[^>]*>/g)].map(([rect]) => numbered(rect, ["x", "y", "width", "height"]));
    assert.equal(boxes.length, 3);
    for (const [path] of map.matchAll(/<path class="cell [^>]*>/g)) {
      for (const [px, py] of points(attributes(path).d)) {
        const within = boxes.some(([x, y, w, h]) => px >= x - 0.1 && py >= y - 0.1 && px <= x + w + 0.1 && py <= y + h + 0.1);
        assert.ok(within, `${m} ${n} ${k} tile ${tile}: ${px} ${py}`);
      }
    }
  }
});

test("the stepper says nothing in words with a bare 0", () => {
  const lines = phaseStepper.words(phaseStepper.start("lesson"));
  assert.ok(lines.includes("The last step has no column beyond K."));
  assert.ok(lines.includes("C[0][0] has no product yet."));
  assert.match(lines.join(" "), /none of its threads is off the edge/);
  assert.match(phaseStepper.words(phaseStepper.start("ragged")).join(" "), /has 7 columns beyond K/);
});

test("off the edge means one thing for a cell and one for a thread", () => {
  const legend = phaseStepper.draw(phaseStepper.start("ragged"));
  assert.ok(legend.includes("off the edge: a cell gets the zero, a thread stores nothing"));
});

test("a thread of a large cell can be pointed at", () => {
  const state = phaseStepper.change({ ...phaseStepper.start("lesson"), at: 3 }, "thread", "1 0");
  assert.deepEqual([state.ty, state.tx, state.at], [1, 0, 3]);
});

test("sizes go up to the ones that the lesson measures", () => {
  for (const figure of [phaseStepper, guardExplorer]) {
    const state = figure.start("ragged-1021");
    assert.deepEqual([state.m, state.n, state.k], [1021, 1031, 1033]);
    assert.equal(figure.change(state, "k", 99999).k, 2048);
  }
  assertInside(phaseStepper.draw(phaseStepper.start("ragged-1021")), "ragged-1021");
  assert.match(guardExplorer.words(guardExplorer.start("ragged-1021"))[1], /columns 1024 to 1039; 7 of them lie/);
});

/** The look of every cell of the guard explorer's tiles: "a" or "b", row and column to look. */
function tilesShown(state) {
  const [svg] = drawings(guardExplorer.draw(state));
  const shown = new Map();
  for (const [path] of svg.matchAll(/<path class="cell [^>]*>/g)) {
    const { class: names, d } = attributes(path);
    for (const [, x, y] of d.matchAll(/M(\d+) (\d+)/g)) {
      const [side, left] = Number(x) < 140 ? ["a", 0] : ["b", 152];
      shown.set(`${side} ${(y - 16) / 8} ${(x - left) / 8}`, names.match(/cell--(\w+)/)[1]);
    }
  }
  return shown;
}

/** Where a load with no guard ends up, from its index alone. */
function unguarded(row, col, height, width) {
  if (row < height && col < width) return "fresh";
  return row * width + col < height * width ? "beyond" : "outside";
}

test("without a guard each cell shows where its own load ends up", () => {
  const cases = [
    { m: 611, n: 613, k: 617, row: 608, col: 608 },
    { m: 611, n: 613, k: 617, row: 610, col: 612 },
    { m: 20, n: 3, k: 9, row: 17, col: 1 }, // several rows on
    { m: 5, n: 1, k: 40, row: 0, col: 0 },
    { m: 1, n: 1, k: 1, row: 0, col: 0 },
    { m: 1021, n: 1031, k: 1033, row: 1020, col: 1030 },
  ];
  for (const size of cases) {
    const shown = tilesShown({ ...size, guard: "none", where: "both" });
    assert.equal(shown.size, 512);
    const [top, left, first] = [size.row, size.col, size.k - 1].map((at) => at - (at % 16));
    for (const [key, look] of shown) {
      const [side, r, c] = [key[0], ...key.slice(2).split(" ").map(Number)];
      const wanted = side === "a" ? unguarded(top + r, first + c, size.m, size.k) : unguarded(first + r, left + c, size.k, size.n);
      assert.equal(look, wanted, `${JSON.stringify(size)}: ${key}`);
    }
  }
});

test("another element of the same block does not change the tiles", () => {
  for (const guard of ["none", "no-else", "ternary"]) {
    const state = { m: 611, n: 613, k: 617, row: 608, col: 608, guard, where: "both" };
    assert.deepEqual([...tilesShown({ ...state, row: 610, col: 612 })].sort(), [...tilesShown(state)].sort());
  }
});

test("the bank view computes with the N that its field shows", () => {
  for (const [tile, n, wanted] of [[16, 1, 16], [32, 20, 32], [8, 8, 8], [16, 512, 512]]) {
    const state = bankView.change({ ...bankView.start("b"), tile }, "n", n);
    assert.equal(state.n, wanted);
    const field = bankView.rows(state).flatMap((row) => row.controls).find(({ name }) => name === "n");
    assert.deepEqual([field.value, field.min], [wanted, tile]);
    const lane = bankView.change({ ...state, p: 3 }, "lane", 2);
    assert.match(bankView.words(lane)[2], new RegExp(`asks for float ${(3 * wanted + 2).toLocaleString("en")},`));
  }
  const narrow = bankView.change(bankView.start("b"), "n", 16);
  assert.equal(bankView.change(narrow, "tile", 32).n, 32);
});

test("the bank view speaks of the busiest bank", () => {
  const says = bankView.says(bankView.start("column"));
  assert.match(says, /the busiest bank has to deliver 8 words, which takes 8 passes: 7 conflicts/);
});

test("the timeline tells what happened, and ends with the run", () => {
  const state = (barriers, pace) => ["barriers", "pace"].reduce((at, name, i) => barrierTimeline.change(at, name, [barriers, pace][i]), barrierTimeline.start("both"));
  for (const [barriers, pace, end, wanted] of [
    ["in-branch", "alike", 12, /in step 1, which nobody writes: its threads have left\./],
    ["both", "alike", 12, /All warps keep the same pace\./],
    ["both", "slow", 24, /The slowest warps take 2 times as long as the quickest\./],
    ["no-first", "slow", 24, /in step 1, which warp 3 has not written yet\./],
  ]) {
    const shown = state(barriers, pace);
    assert.equal(barrierTimeline.last(shown), end);
    assert.equal(shown.at, end);
    assert.match(barrierTimeline.words(shown).join(" "), wanted);
    const reach = [...barrierTimeline.draw(shown).matchAll(/<rect class="ghost" width="([\d.]+)%" x="([\d.]+)%"/g)].map(([, w, x]) => Number(w) + Number(x));
    assert.ok(Math.abs(Math.max(...reach) - 98.7) < 0.1, `${Math.max(...reach)}`); // of 100 percent
  }
});

test("the calculator names one point once", () => {
  for (const [k, names] of [[1, ["naive = tiled"]], [3, ["naive", "tiled"]], [512, ["naive", "tiled"]]]) {
    const state = { ...calculator.start("medium", { cards: [CARD], card: "card" }), k };
    const html = calculator.draw(state);
    const shown = [...html.matchAll(/class="point-name[^>]*>([^<]+)</g)].map(([, name]) => name);
    assert.deepEqual(shown, names);
    assert.ok(html.includes("1,024, each of 256 threads"));
  }
});
