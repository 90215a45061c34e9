/** Figure: the warps of a block in time, with and without the barriers. */

import { PACES, STEPS, TILE, WARPS, runBlock } from "./schedule.js";
import { drawing, legend, moved, plural, tag, transport, within } from "./plate.js";

const [LEFT, TOP, LANE, TICK] = [56, 22, 30, 23];
const TICKS = 24; // the longest run: a slow warp twice as slow through both steps

const BARRIERS = [
  ["both", "both stand"],
  ["no-first", "first left out"],
  ["no-second", "second left out"],
  ["in-branch", "inside the branch"],
];
const PACE = [
  ["alike", "all alike"],
  ["slow", "one slow warp"],
  ["own", "each its own"],
];

const usual = { pace: "slow", slow: 3, rowsInside: 3 };
const presets = {
  both: { ...usual, barriers: "both" },
  "no-first": { ...usual, barriers: "no-first" },
  "no-second": { ...usual, barriers: "no-second" },
  "in-branch": { ...usual, barriers: "in-branch" },
};

const last = () => TICKS;
const start = (preset) => ({ at: TICKS, ...presets[preset] });

function change(state, name, value) {
  const at = moved(name, state.at, TICKS);
  if (at !== null) return { ...state, at };
  if (name === "slow") return { ...state, slow: within(value, 0, WARPS - 1) };
  if (name === "rowsInside") return { ...state, rowsInside: within(value, 1, TILE) };
  return { ...state, [name]: value };
}

function rows(state) {
  const choice = (name, label, options) => ({
    kind: "choice",
    name,
    label,
    value: state[name],
    options,
  });
  return [
    { label: "Barriers", controls: [choice("barriers", "Barriers", BARRIERS)] },
    { label: "Pace", controls: [choice("pace", "Pace", PACE)] },
    { label: "Time", controls: transport(state, TICKS) },
    {
      label: "Which warp is slow, how many rows are inside",
      folded: true,
      controls: [
        {
          kind: "number",
          name: "slow",
          label: "slow warp",
          value: state.slow,
          min: 0,
          max: WARPS - 1,
          disabled: state.pace !== "slow",
        },
        {
          kind: "number",
          name: "rowsInside",
          label: "rows of the block inside C",
          value: state.rowsInside,
          min: 1,
          max: TILE,
          disabled: state.barriers !== "in-branch",
        },
      ],
    },
  ];
}

// ---- The drawing

const LOOKS = { load: "loading", wait: "waiting", multiply: "multiplying", gone: "edge" };
const NAMES = { load: "load", wait: "wait", multiply: "multiply", gone: "has left" };

const x = (tick) => LEFT + tick * TICK;
const y = (warp) => TOP + warp * LANE;

function bar(span, warp, at, flags) {
  const seen = Math.min(span.to, at);
  const box = { y: y(warp) + 3, height: LANE - 8 };
  const ghost = tag("rect", {
    class: "ghost",
    x: x(span.from),
    width: (span.to - span.from) * TICK - 2,
    ...box,
  });
  if (seen <= span.from) return ghost;
  const width = (seen - span.from) * TICK - 2;
  const rect = tag("rect", {
    class: `cell cell--${LOOKS[span.kind]}`,
    x: x(span.from),
    width,
    ...box,
  });
  const name =
    span.kind === "gone" || span.kind === "wait"
      ? NAMES[span.kind]
      : `${NAMES[span.kind]} ${span.step + 1}`;
  const flagged = flags.some((each) => each.warp === warp && each.step === span.step);
  const fits = width > name.length * 6 + 7 && !(flagged && span.kind === "multiply");
  const place = {
    x: x(span.from) + width / 2,
    y: y(warp) + LANE / 2 - 1,
    class: `mark mark--${LOOKS[span.kind]} bar-name`,
  };
  return ghost + rect + (fits ? tag("text", place, name) : "");
}

/** The first hazard of each warp in each step that has happened by now, and how many follow. */
function firsts(hazards, at) {
  const found = new Map();
  for (const hazard of hazards.filter((each) => each.at <= at)) {
    const key = `${hazard.warp} ${hazard.step}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...hazard, count: 1 });
    else known.count += 1;
  }
  return [...found.values()];
}

/** A flag where a warp first reads what it should not, and a line from the row's owner. */
function flag({ warp, row, at }) {
  const owner = Math.floor((row * WARPS) / TILE);
  const [px, py, from] = [x(at), y(warp) + LANE / 2 - 1, y(owner) + LANE / 2 - 1];
  const line = tag("path", { class: "reach", d: `M${px} ${from}V${py}` });
  const sign = tag("path", { class: "flag", d: `M${px} ${py - 9}l9 16h-18z` });
  return [line, sign, tag("text", { x: px, y: py + 3, class: "flag-mark" }, "!")];
}

function draw(state) {
  const { spans, hazards } = runBlock(state);
  const name = (warp) =>
    tag(
      "text",
      { x: 0, y: y(warp) + LANE / 2 + 3, class: "lane" },
      tag("tspan", { class: "wide" }, "warp "),
      warp,
    );
  const flags = firsts(hazards, state.at);
  const bars = spans.map((each, warp) => [
    name(warp),
    each.map((span) => bar(span, warp, state.at, flags)),
  ]);
  const bottom = TOP + WARPS * LANE;
  const now = tag("path", { class: "now", d: `M${x(state.at)} ${TOP - 6}V${bottom + 4}` });
  const label = tag("text", { x: LEFT, y: 12, class: "head" }, "time, from left to right");
  const picture = drawing(
    x(TICKS) + 8,
    bottom + 8,
    `Timeline of ${WARPS} warps. ${says(state)}`,
    [label, bars, flags.map(flag), now],
    { class: "figure__time" },
  );
  const names = {
    loading: "loading its rows",
    multiplying: "multiplying",
    edge: "off the edge, has left",
    hazard: "reads a float that is not this step’s",
  };
  return picture + legend(["loading", "waiting", "multiplying", "edge", "hazard"], names);
}

// ---- In words

function says(state) {
  const { hazards } = runBlock(state);
  const seen = hazards.filter((each) => each.at <= state.at);
  if (seen.length === 0 && state.at < TICKS)
    return `Tick ${state.at} of ${TICKS}: no hazard so far.`;
  if (seen.length === 0) {
    if (state.barriers === "both")
      return "Both barriers stand: nobody runs ahead, whatever the pace, and no read goes wrong.";
    if (state.barriers === "in-branch")
      return "Every row is inside C: the whole block comes to the barrier, and no read goes wrong.";
    return "No hazard in this run, and that is luck: no warp met a row at the wrong moment. Try another pace.";
  }
  return `${plural(seen.length, "hazard")}: ${tell(seen[0])}.`;
}

function tell({ warp, row, step, saw }) {
  const owner = Math.floor((row * WARPS) / TILE);
  const what = `warp ${warp} reads row ${row} of the tile of B in step ${step + 1}`;
  if (saw > step)
    return `${what}, but warp ${owner} has already overwritten it with step ${saw + 1}`;
  if (saw >= 0) return `${what}, and still finds the float of step ${saw + 1} there`;
  return `${what}, where nobody has written yet (warp ${owner} should have)`;
}

function words(state) {
  const { spans, hazards } = runBlock(state);
  const lines = [
    `${WARPS} warps go through ${STEPS} steps; each loads two rows of the tiles, and reads all rows of the tile of B while it multiplies.`,
    `The slowest warps take ${Math.max(...spans.keys()) >= 0 ? Math.max(...spans.map((_, warp) => PACES[state.pace](warp, state.slow))) : 1} times as long as the quickest.`,
  ];
  if (state.barriers === "in-branch") {
    const gone = spans.filter((each) => each[0].kind === "gone").length;
    lines.push(
      `The barriers stand inside the branch: ${plural(gone, "warp has", "warps have")} left, and rows ${state.rowsInside} to ${TILE - 1} of the tile of B are written by nobody. Drawn as on cards that wait only for the threads that are still there; nothing is guaranteed.`,
    );
  }
  lines.push(says(state));
  return [
    ...lines,
    ...firsts(hazards, TICKS).map(
      (each) =>
        `${plural(each.count, "hazard")} of warp ${each.warp} in step ${each.step + 1}; the first: ${tell(each)}.`,
    ),
  ];
}

/** @type {import("./plate.js").Figure} */
export default {
  name: "barrier-timeline",
  title: "What the two barriers prevent",
  caption:
    "Eight warps of a 16×16 block. Leave a barrier out and look for the flags: a warp that runs ahead reads a row before its owner has written it, or after its owner has overwritten it. Let all warps keep the same pace, and the fault is still there but shows no flag.",
  presets,
  start,
  rows,
  change,
  draw,
  says,
  words,
  last,
};
