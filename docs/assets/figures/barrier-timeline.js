/** Figure: the warps of a block in time, with and without the barriers. */

import { PACES, STEPS, TILE, WARPS, runBlock } from "./schedule.js";
import { drawing, legend, moved, plural, tag, transport, within } from "./plate.js";

// Across in percent of the drawing, down in px: on a phone the bars shrink and the letters do not.
const [LEFT, SPAN, TOP, LANE] = [9, 90, 22, 30];
const DESKTOP = 6.4; // px a percent, at least, wherever bars have names

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

const last = (state) => runBlock(state).end;
const start = (preset) => ({ at: last(presets[preset]), ...presets[preset] });

function change(state, name, value) {
  const end = last(state);
  const at = moved(name, state.at, end);
  if (at !== null) return { ...state, at };
  const next = { ...state, [name]: value };
  if (name === "slow") next.slow = within(value, 0, WARPS - 1);
  if (name === "rowsInside") next.rowsInside = within(value, 1, TILE);
  // Who saw the whole run sees the whole of the next one.
  next.at = state.at === end ? last(next) : Math.min(state.at, last(next));
  return next;
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
    { label: "Time", controls: transport(state, last(state)) },
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

const y = (warp) => TOP + warp * LANE;

/** Where a tick is in a run of `end` ticks. */
const across = (tick, end) => LEFT + (tick * SPAN) / end;
const percent = (value) => `${Math.round(value * 100) / 100}%`;

function bar(span, warp, { at, end }, flags) {
  const seen = Math.min(span.to, at);
  const from = across(span.from, end);
  const box = { x: percent(from), y: y(warp) + 3, height: LANE - 8 };
  const long = (to) => across(to, end) - from - 0.3;
  const ghost = tag("rect", { class: "ghost", width: percent(long(span.to)), ...box });
  if (seen <= span.from) return ghost;
  const width = long(seen);
  const look = `cell cell--${LOOKS[span.kind]}`;
  const rect = tag("rect", { class: look, width: percent(width), ...box });
  const name =
    span.kind === "gone" || span.kind === "wait"
      ? NAMES[span.kind]
      : `${NAMES[span.kind]} ${span.step + 1}`;
  const flagged = flags.some((each) => each.warp === warp && each.step === span.step);
  const fits = width * DESKTOP > name.length * 6 + 7 && !(flagged && span.kind === "multiply");
  const place = {
    x: percent(from + width / 2),
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
function flag({ warp, row, at }, end) {
  const owner = Math.floor((row * WARPS) / TILE);
  const [py, from] = [y(warp) + LANE / 2 - 1, y(owner) + LANE / 2 - 1];
  const line = tag("path", { class: "reach", d: `M0 ${from}V${py}` });
  const sign = tag("path", { class: "flag", d: `M0 ${py - 9}l9 16h-18z` });
  return atTick(at, end, [line, sign, tag("text", { y: py + 4, class: "flag-mark" }, "!")]);
}

/** Shapes that keep their form, whose zero is at a tick. */
const atTick = (tick, end, shapes) => tag("svg", { x: percent(across(tick, end)) }, shapes);

function draw(state) {
  const { spans, hazards, end } = runBlock(state);
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
    each.map((span) => bar(span, warp, { at: state.at, end }, flags)),
  ]);
  const bottom = TOP + WARPS * LANE;
  const now = atTick(state.at, end, tag("path", { class: "now", d: `M0 ${TOP - 6}V${bottom + 4}` }));
  const time = `time, from left to right: ${end} ticks`;
  const label = tag("text", { x: percent(LEFT), y: 12, class: "head" }, time);
  const picture = drawing(
    "100%",
    bottom + 8,
    `Timeline of ${WARPS} warps. ${says(state)}`,
    [label, bars, flags.map((each) => flag(each, end)), now],
    { class: "figure__time", viewBox: null },
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
  const { hazards, end } = runBlock(state);
  const seen = hazards.filter((each) => each.at <= state.at);
  if (seen.length === 0 && state.at < end)
    return `Tick ${state.at} of ${end}: no hazard so far.`;
  if (seen.length === 0) {
    if (state.barriers === "both")
      return "Both barriers stand: nobody runs ahead, whatever the pace, and no read goes wrong.";
    if (state.barriers === "in-branch")
      return "Every row is inside C: the whole block comes to the barrier, and no read goes wrong.";
    return "No hazard in this run, and that is luck: no warp met a row at the wrong moment. Try another pace.";
  }
  return `${plural(seen.length, "hazard")}: ${tell(seen[0], state.barriers)}.`;
}

function tell({ warp, row, step, saw }, barriers) {
  const owner = Math.floor((row * WARPS) / TILE);
  const what = `warp ${warp} reads row ${row} of the tile of B in step ${step + 1}`;
  if (saw > step)
    return `${what}, but warp ${owner} has already overwritten it with step ${saw + 1}`;
  if (saw >= 0) return `${what}, and still finds the float of step ${saw + 1} there`;
  return barriers === "in-branch"
    ? `${what}, which nobody writes: its threads have left`
    : `${what}, which warp ${owner} has not written yet`;
}

function words(state) {
  const { spans, hazards, end } = runBlock(state);
  const slowest = Math.max(...spans.map((_, warp) => PACES[state.pace](warp, state.slow)));
  const lines = [
    `${WARPS} warps go through ${STEPS} steps; each loads two rows of the tiles, and reads all rows of the tile of B while it multiplies.`,
    slowest === 1
      ? "All warps keep the same pace."
      : `The slowest warps take ${slowest} times as long as the quickest.`,
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
    ...firsts(hazards, end).map(
      (each) =>
        `${plural(each.count, "hazard")} of warp ${each.warp} in step ${each.step + 1}; the first: ${tell(each, state.barriers)}.`,
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
