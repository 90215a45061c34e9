/** Figure: where the 32 lanes of a warp go, in the banks of shared memory or in global memory. */

import {
  BANKS,
  PATTERNS,
  SECTOR_BYTES,
  FLOAT_BYTES,
  globalAccess,
  sharedAccess,
  warpIndices,
  warpLanes,
  warpsOf,
} from "./arithmetic.js";
import { cells, drawing, legend, number, plural, tag, within } from "./plate.js";

const LARGEST = 4096;
const FLOATS = SECTOR_BYTES / FLOAT_BYTES;
const SHOWN = ["row", "column", "padded", "a", "b", "swapped"];
const TILES = [8, 16, 32];

const usual = { tile: 16, k: 512, n: 512, warp: 0, p: 0, lane: 0 };
const presets = Object.fromEntries(
  ["column", "row", "padded", "a", "b", "swapped"].map((pattern) => [
    pattern,
    { ...usual, pattern },
  ]),
);

const start = (preset) => ({ ...presets[preset] });

function change(state, name, value) {
  const next = { ...state, [name]: name === "pattern" ? value : Number(value) };
  next.k = within(next.k, 1, LARGEST);
  next.n = within(next.n, next.tile, LARGEST); // the block lies inside C
  next.warp = within(next.warp, 0, warpsOf([next.tile, next.tile]) - 1);
  next.p = within(next.p, 0, mostP(next));
  next.lane = within(next.lane, 0, warpLanes([next.tile, next.tile], next.warp).length - 1);
  return next;
}

const isShared = ({ pattern }) => PATTERNS[pattern].space === "shared";
const mostP = (state) => (isShared(state) ? state.tile : state.k) - 1;

function rows(state) {
  const box = (name, label, min, max, disabled = false) => ({
    kind: "number",
    name,
    label,
    value: state[name],
    min,
    max,
    disabled,
  });
  const options = SHOWN.map((each) => [each, PATTERNS[each].code]);
  const tiles = TILES.map((tile) => [String(tile), `${tile} × ${tile}`]);
  return [
    {
      label: "Access",
      controls: [
        { kind: "select", name: "pattern", label: "access", value: state.pattern, options },
      ],
    },
    {
      label: "Where",
      controls: [
        { kind: "select", name: "tile", label: "block", value: state.tile, options: tiles },
        box("warp", "warp", 0, warpsOf([state.tile, state.tile]) - 1),
        box("p", "p", 0, mostP(state)),
        box("lane", "lane", 0, warpLanes([state.tile, state.tile], state.warp).length - 1),
        box("k", "K", 1, LARGEST, isShared(state)),
        box("n", "N", state.tile, LARGEST, isShared(state)),
      ],
    },
  ];
}

/** The floats that the lanes ask for; C is as high as the block. */
function asked({ pattern, tile, k, n, warp, p }) {
  const size = { m: tile, n, k };
  return warpIndices({ name: pattern, size, tile, block: { row: 0, col: 0 }, warp, p });
}

// ---- The drawings. Lanes in a row on top, memory below, a line from each lane to its float.

const PITCH = 20;
const SIZE = 17;
const WIDTH = 32 * PITCH;
const PASS_X = WIDTH + 30;
const PASS = "lane head--end"; // a narrow screen has room for every fourth number only
const LANES_Y = 18;
const MEMORY_Y = 118;
const ROOM = 8 * PITCH; // below that line, at least: most accesses need no more

function lanes(state, targets) {
  const drawn = targets.map((_, lane) => ({ x: lane * PITCH, y: LANES_Y, look: "lane" }));
  const middle = (SIZE + 1) / 2;
  const line = ([tx, ty], lane, chosen) => {
    const from = [lane * PITCH + middle, LANES_Y + SIZE];
    return tag("path", {
      class: chosen ? "thread thread--chosen" : "thread",
      d: `M${from.join(" ")}C${from[0]} ${from[1] + 42} ${tx} ${ty - 42} ${tx} ${ty}`,
    });
  };
  const picks = targets.map((_, lane) =>
    tag("rect", {
      class: "pick",
      "data-pick": "lane",
      "data-value": lane,
      x: lane * PITCH,
      y: LANES_Y - 4,
      width: PITCH,
      height: SIZE + 8,
    }),
  );
  const ring = tag("rect", {
    class: "ring",
    x: state.lane * PITCH - 1,
    y: LANES_Y - 1,
    width: SIZE + 2,
    height: SIZE + 2,
  });
  return [
    tag("text", { x: 0, y: 12, class: "head" }, `lanes 0 to ${targets.length - 1}`),
    targets.map((target, lane) => line(target, lane, false)),
    line(targets[state.lane], state.lane, true),
    cells(drawn, SIZE),
    ring,
    picks,
  ];
}

/** Banks side by side; under each the different words that it has to deliver, one a pass. */
function shared(state) {
  const wanted = asked(state);
  const { banks, passes } = sharedAccess(wanted);
  const middle = (SIZE + 1) / 2;
  const targets = wanted.map((word) => [(word % BANKS) * PITCH + middle, MEMORY_Y - 2]);
  const stack = banks.flatMap((bank, b) => {
    const depth = Math.max(1, bank.length);
    return Array.from({ length: depth }, (_, i) => ({
      x: b * PITCH,
      y: MEMORY_Y + i * PITCH,
      look: i < bank.length ? (i === 0 ? "served" : "again") : "idle",
    }));
  });
  const pass = Array.from({ length: passes }, (_, i) =>
    tag(
      "text",
      { x: PASS_X, y: MEMORY_Y + i * PITCH + 13, class: i % 4 === 3 ? PASS : `${PASS} wide` },
      i + 1,
    ),
  );
  const mine = wanted[state.lane];
  const place = {
    x: (mine % BANKS) * PITCH - 1,
    y: MEMORY_Y + banks[mine % BANKS].indexOf(mine) * PITCH - 1,
  };
  return drawing(
    WIDTH + 30,
    MEMORY_Y + Math.max(ROOM, passes * PITCH),
    `${wanted.length} lanes over ${BANKS} banks. ${says(state)}`,
    [
      lanes(state, targets),
      tag("text", { x: PASS_X, y: MEMORY_Y - 8, class: "head head--end" }, "pass"),
      cells(stack, SIZE),
      pass,
      tag("rect", { class: "ring", ...place, width: SIZE + 2, height: SIZE + 2 }),
    ],
    { class: "figure__wide" },
  );
}

/** Sectors of eight floats, four in a row: what is wanted, and what comes along unasked. */
function global(state) {
  const indices = asked(state);
  const { sectors } = globalAccess(indices);
  const asking = new Set(indices);
  const place = (index) => {
    const nth = sectors.indexOf(Math.floor(index / FLOATS));
    return [
      (nth % 4) * FLOATS * PITCH + (index % FLOATS) * PITCH,
      MEMORY_Y + Math.floor(nth / 4) * (PITCH + 18),
    ];
  };
  const middle = (SIZE + 1) / 2;
  const floats = sectors.flatMap((sector) =>
    Array.from({ length: FLOATS }, (_, i) => {
      const [x, y] = place(sector * FLOATS + i);
      return { x, y, look: asking.has(sector * FLOATS + i) ? "served" : "unasked" };
    }),
  );
  const frames = sectors.map((sector) => {
    const [x, y] = place(sector * FLOATS);
    const label = tag(
      "text",
      { x, y: y + SIZE + 13, class: "lane sector-name" },
      `byte ${number(sector * SECTOR_BYTES)}`,
    );
    return (
      tag("rect", {
        class: "sector",
        x: x - 1.5,
        y: y - 2,
        width: FLOATS * PITCH - 1,
        height: SIZE + 4,
      }) + label
    );
  });
  const targets = indices.map((index) => {
    const [x, y] = place(index);
    return [x + middle, y - 2];
  });
  const [rx, ry] = place(indices[state.lane]);
  return drawing(
    WIDTH + 30,
    MEMORY_Y + Math.max(ROOM, Math.ceil(sectors.length / 4) * (PITCH + 18)),
    `${indices.length} lanes and the sectors that their floats lie in. ${says(state)}`,
    [
      lanes(state, targets),
      frames,
      cells(floats, SIZE),
      tag("rect", { class: "ring", x: rx - 1, y: ry - 1, width: SIZE + 2, height: SIZE + 2 }),
    ],
    { class: "figure__wide" },
  );
}

function counts(state) {
  const wanted = asked(state);
  const entry = (label, value) =>
    tag("div", {}, tag("dt", {}, label), tag("dd", {}, tag("b", {}, value)));
  if (isShared(state)) {
    const { banks, passes, conflicts } = sharedAccess(wanted);
    return [
      entry("different words", number(new Set(wanted).size)),
      entry("banks used", number(banks.filter((bank) => bank.length > 0).length)),
      entry("passes", number(passes)),
      entry("bank conflicts", number(conflicts)),
    ];
  }
  const { requests, sectors, floats } = globalAccess(wanted);
  return [
    entry("requests", number(requests)),
    entry("sectors", number(sectors.length)),
    entry("bytes moved", number(sectors.length * SECTOR_BYTES)),
    entry("bytes wanted", number(floats * FLOAT_BYTES)),
  ];
}

function draw(state) {
  const looks = isShared(state)
    ? ["lane", "served", "again", "idle"]
    : ["lane", "served", "unasked"];
  const text = {
    lane: "lane",
    served: isShared(state) ? "word served in the first pass" : "float that a lane wants",
    again: "word that waits for a later pass",
    idle: "bank without work",
    unasked: "comes along with its sector",
  };
  return (
    tag("dl", { class: "figure__sums" }, counts(state)) +
    (isShared(state) ? shared(state) : global(state)) +
    legend(looks, text)
  );
}

// ---- In words

function says(state) {
  const wanted = asked(state);
  const code = PATTERNS[state.pattern].code;
  if (isShared(state)) {
    const { passes, conflicts } = sharedAccess(wanted);
    if (conflicts === 0)
      return `${code}: no bank has to deliver two words, one pass for all lanes.`;
    return `${code}: the busiest bank has to deliver ${plural(passes, "word")}, which takes ${plural(passes, "pass", "passes")}: ${plural(conflicts, "conflict")}.`;
  }
  const { sectors, floats } = globalAccess(wanted);
  const share = (100 * floats * FLOAT_BYTES) / (sectors.length * SECTOR_BYTES);
  return `${code}: one request, ${plural(sectors.length, "sector")}; ${number(share, 1)} percent of the bytes moved are wanted.`;
}

function words(state) {
  const all = asked(state);
  const [lane] = warpLanes([state.tile, state.tile], state.warp).slice(state.lane);
  const lines = [
    says(state),
    `A block of ${state.tile} × ${state.tile} threads, warp ${state.warp}, p = ${state.p}.`,
  ];
  const where = isShared(state)
    ? `asks for word ${all[state.lane]}, in bank ${all[state.lane] % BANKS}`
    : `asks for float ${number(all[state.lane])}, in the sector at byte ${number(Math.floor(all[state.lane] / FLOATS) * SECTOR_BYTES)}`;
  lines.push(`Lane ${state.lane} is thread x = ${lane.x}, y = ${lane.y}; it ${where}.`);
  return lines;
}

/** @type {import("./plate.js").Figure} */
export default {
  name: "bank-view",
  title: "One access of a warp: banks and sectors",
  caption:
    "All 32 lanes of a warp ask at once. A bank of shared memory delivers one word a pass, so words that share a bank wait for each other; lanes that want the same word do not. Global memory comes in sectors of 32 bytes, wanted or not.",
  presets,
  start,
  rows,
  change,
  draw,
  says,
  words,
};
