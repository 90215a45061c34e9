/** Figure: loads, intensity and the roof of a card, for sizes of the reader's own. */

import {
  attainable,
  ceilDiv,
  intensityNaive,
  intensityTiled,
  loadRatio,
  loadsNaive,
  loadsTiled,
  paddingOverhead,
  ridge,
  sharedBytes,
  threadsPerBlock,
} from "./arithmetic.js";
import { drawing, number, tag, within } from "./plate.js";

const LARGEST = 16384;
const TILES = [2, 4, 8, 16, 32];

const presets = {
  medium: { m: 512, n: 512, k: 512, tile: 16 },
  ragged: { m: 611, n: 613, k: 617, tile: 16 },
  "ragged-1021": { m: 1021, n: 1031, k: 1033, tile: 16 },
};

/** @param {{cards: import("./arithmetic.js").Card[], card: string}} data */
const start = (preset, data) => ({ ...presets[preset], cards: data.cards, card: data.card });

function change(state, name, value) {
  if (name === "preset") return { ...state, ...presets[value] };
  if (name === "card") return { ...state, card: value };
  return { ...state, [name]: name === "tile" ? Number(value) : within(value, 1, LARGEST) };
}

function rows(state) {
  const size = (name) => ({
    kind: "number",
    name,
    label: name.toUpperCase(),
    value: state[name],
    min: 1,
    max: LARGEST,
  });
  const tiles = TILES.map((tile) => [String(tile), `${tile} × ${tile}`]);
  const cards = state.cards.map(({ name }) => [name, name]);
  return [
    {
      label: "Sizes, tile and card",
      controls: [
        size("m"),
        size("n"),
        size("k"),
        { kind: "select", name: "tile", label: "tile", value: state.tile, options: tiles },
        { kind: "select", name: "card", label: "card", value: state.card, options: cards },
      ],
    },
  ];
}

/** All numbers of the figure. */
function figures({ m, n, k, tile, cards, card }) {
  const chosen = cards.find(({ name }) => name === card);
  const naive = intensityNaive(k);
  const tiled = intensityTiled(k, tile);
  return {
    card: chosen,
    ridge: ridge(chosen),
    naive: { loads: loadsNaive(k), intensity: naive, roof: attainable(chosen, naive) },
    tiled: { loads: loadsTiled(k, tile), intensity: tiled, roof: attainable(chosen, tiled) },
    ratio: loadRatio(k, tile),
    padding: 100 * paddingOverhead(m, n, k, tile),
    shared: sharedBytes(tile),
    threads: threadsPerBlock(tile),
    blocks: ceilDiv(m, tile) * ceilDiv(n, tile),
  };
}

// ---- The drawing: both axes logarithmic

const BOX = { left: 50, top: 16, width: 242, height: 200 }; // as wide as a phone
const X = { from: 0.125, to: 256 };
const Y = { from: 10, to: 200000 };

const x = (intensity) =>
  BOX.left + (BOX.width * Math.log(intensity / X.from)) / Math.log(X.to / X.from);
const y = (rate) => BOX.top + BOX.height * (1 - Math.log(rate / Y.from) / Math.log(Y.to / Y.from));

function axes() {
  const bottom = BOX.top + BOX.height;
  const right = BOX.left + BOX.width;
  const columns = [0.25, 1, 4, 16, 64, 256].map((at) => [
    tag("path", { class: "grid", d: `M${x(at)} ${BOX.top}V${bottom}` }),
    tag("text", { x: x(at), y: bottom + 15, class: "tick tick--x" }, at),
  ]);
  const lines = [10, 100, 1000, 10000, 100000].map((at) => [
    tag("path", { class: "grid", d: `M${BOX.left} ${y(at)}H${right}` }),
    tag("text", { x: BOX.left - 6, y: y(at) + 4, class: "tick tick--y" }, number(at)),
  ]);
  return [
    columns,
    lines,
    tag("text", { x: right, y: bottom + 31, class: "tick tick--y" }, "FLOP a byte"),
    tag("text", { x: 0, y: 9, class: "tick" }, "GFLOP/s"),
  ];
}

function draw(state) {
  const f = figures(state);
  const top = 1000 * f.card.fp32_tflops;
  const roof = `M${x(X.from)} ${y(attainable(f.card, X.from))}L${x(f.ridge)} ${y(top)}H${x(X.to)}`;
  // Of points that lie close together, the upper one has its name on the other side.
  const same = f.ratio === 1;
  const point = (kind, { intensity, roof: rate }, sign, name, above = false) => [
    tag("path", {
      class: `drop drop--${kind}`,
      d: `M${x(intensity)} ${y(rate)}V${BOX.top + BOX.height}`,
    }),
    sign(x(intensity), y(rate)),
    tag(
      "text",
      above
        ? { x: x(intensity) - 9, y: y(rate) - 9, class: "point-name point-name--above" }
        : { x: x(intensity) + 11, y: y(rate) + 17, class: "point-name" },
      name,
    ),
  ];
  const square = (px, py) =>
    tag("rect", { class: "point point--naive", x: px - 6, y: py - 6, width: 12, height: 12 });
  const disc = (px, py) => tag("circle", { class: "point point--tiled", cx: px, cy: py, r: 7 });
  const picture = drawing(
    BOX.left + BOX.width + 4,
    BOX.top + BOX.height + 36,
    `Roofline of the ${f.card.name}. ${says(state)}`,
    [
      axes(),
      tag("path", { class: "roof", d: roof }),
      tag("path", { class: "ridge", d: `M${x(f.ridge)} ${y(top)}V${BOX.top + BOX.height}` }),
      tag(
        "text",
        { x: x(f.ridge), y: y(top) - 8, class: "tick tick--x" },
        `ridge ${number(f.ridge, 1)}`,
      ),
      point("naive", f.naive, square, same ? "" : "naive"),
      point("tiled", f.tiled, disc, same ? "naive = tiled" : "tiled", !same && f.ratio < 2),
    ],
  );
  return tag("div", { class: "figure__roof" }, picture, table(f));
}

function table(f) {
  const line = (label, naive, tiled) =>
    tag("tr", {}, tag("th", { scope: "row" }, label), tag("td", {}, naive), tag("td", {}, tiled));
  const one = (label, value) =>
    tag("tr", {}, tag("th", { scope: "row" }, label), tag("td", { colspan: 2 }, value));
  const head = ["", "naive", "tiled"].map((name) =>
    name === "" ? tag("td", {}) : tag("th", { scope: "col", class: `head--${name}` }, name),
  );
  return tag(
    "table",
    { class: "figure__numbers" },
    tag("thead", {}, tag("tr", {}, head)),
    tag(
      "tbody",
      {},
      line("loads a thread", number(f.naive.loads), number(f.tiled.loads)),
      line("FLOP a byte loaded", number(f.naive.intensity, 2), number(f.tiled.intensity, 2)),
      line("roof, GFLOP/s", number(f.naive.roof), number(f.tiled.roof)),
      one("fewer loads", `${number(f.ratio, 1)}×`),
      one("padding", `${number(f.padding, 1)} % more multiply-adds`),
      one("shared memory", `${number(f.shared)} bytes a block`),
      one("blocks", `${number(f.blocks)}, each of ${number(f.threads)} threads`),
    ),
  );
}

// ---- In words

const bound = (f, kernel) => (kernel.intensity < f.ridge ? "memory-bound" : "compute-bound");

function says(state) {
  const f = figures(state);
  return `By its own loads the naive kernel does ${number(f.naive.intensity, 2)} FLOP a byte (${bound(f, f.naive)} on the ${f.card.name}), the tiled one ${number(f.tiled.intensity, 2)} (${bound(f, f.tiled)}); the ridge is at ${number(f.ridge, 1)}.`;
}

function words(state) {
  const f = figures(state);
  return [
    says(state),
    `A thread of the naive kernel issues ${number(f.naive.loads)} loads, one of the tiled kernel ${number(f.tiled.loads)}: ${number(f.ratio, 1)} times fewer.`,
    `Zero padding adds ${number(f.padding, 1)} percent to the tiled kernel’s multiply-adds; a block takes ${number(f.shared)} bytes of shared memory.`,
    `On the ${f.card.name}, with ${number(f.card.fp32_tflops, 1)} TFLOP/s and ${number(f.card.bandwidth_gbs)} GB/s, the roof over the naive kernel is at ${number(f.naive.roof)} GFLOP/s, over the tiled one at ${number(f.tiled.roof)}. A cache may lift a kernel over the roof of its own loads; the roof is no prediction.`,
  ];
}

/** @type {import("./plate.js").Figure} */
export default {
  name: "calculator",
  title: "Loads, intensity and the roof",
  caption:
    "All of this is arithmetic on loads that threads issue; none of it was measured. The roof says how fast a card could go if every load went to its memory. Caches serve many of them, so a kernel can lie above its point. Widen the tile, and watch the point climb towards the ridge.",
  presets,
  start,
  rows,
  change,
  draw,
  says,
  words,
};
