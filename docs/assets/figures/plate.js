/**
 * A figure as HTML: the plate around a drawing, its controls and its words. The build writes it
 * into the page with this very code, and the browser redraws it; so nothing moves when it wakes.
 *
 * @typedef {{kind: "button"|"choice"|"select"|"number", name: string, label: string,
 *   value?: string|number, options?: [string, string][], min?: number, max?: number,
 *   step?: number, disabled?: boolean}} Control
 * @typedef {{name: string, title: string, caption: string, presets: Record<string, object>,
 *   start: (preset: string, data: any) => any, rows: (state: any) => Row[],
 *   change: (state: any, name: string, value: string|number) => any,
 *   draw: (state: any) => string, says: (state: any) => string, words: (state: any) => string[],
 *   last?: (state: any) => number}} Figure
 *   A figure with `last` can be played: its state has `at`, from 0 to last(state).
 * @typedef {{label: string, folded?: boolean, controls: Control[]}} Row
 */

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ESCAPED[c]);

/** 1234.5 as 1,234.5: the same in every browser and in the build. */
export function number(value, digits = 0) {
  const [whole, part] = Math.abs(value).toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (value < 0 ? "−" : "") + grouped + (part ? `.${part}` : "");
}

export const plural = (count, word, words = `${word}s`) =>
  `${number(count)} ${count === 1 ? word : words}`;

const VOID = new Set(["input"]);

/** An element of SVG or HTML as text; attributes that are null or false are left out. */
export function tag(name, attributes, ...inside) {
  const text = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== false && value !== undefined)
    .map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escape(value)}"`));
  const open = `<${name}${text.join("")}>`;
  return VOID.has(name) ? open : `${open}${inside.flat(Infinity).join("")}</${name}>`;
}

/** The looks of a cell, each with its word: they differ in shape, not in colour alone. */
export const LOOKS = {
  loading: "being loaded",
  waiting: "waiting at the barrier",
  multiplying: "multiplying",
  holds: "loaded, at rest",
  edge: "off the edge",
  stale: "stale",
  needed: "needed by this block",
};

/** A legend of looks: a swatch and a word for each. */
export function legend(looks, words = {}) {
  const item = (look) =>
    tag("li", {}, swatch(look), tag("span", {}, escape(words[look] ?? LOOKS[look])));
  return tag("ul", { class: "figure__legend" }, looks.map(item));
}

const swatch = (look) =>
  tag(
    "svg",
    { class: "figure__swatch", width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
    tag("rect", { x: 1, y: 1, width: 14, height: 14, class: `cell cell--${look}` }),
  );

/**
 * Cells, those of a look in one path: a tile of 256 of them stays small. All are `size` wide and
 * high, but for those that say otherwise.
 * @param {{x: number, y: number, width?: number, height?: number, look: string, mark?: string|number}[]} all
 */
export function cells(all, size) {
  const small = size < 14 ? " cell--small" : "";
  const paths = [...byLook(all)].map(([look, group]) => {
    const d = group.map(({ x, y, width = size, height = size }) => {
      const w = round(width);
      return `M${round(x)} ${round(y)}h${w}v${round(height)}h-${w}z`;
    });
    return tag("path", { class: `cell cell--${look}${small}`, d: d.join("") });
  });
  const marks = all
    .filter(({ mark }) => mark !== undefined && mark !== "")
    .map(({ x, y, look, mark }) =>
      tag("text", { x: x + size / 2, y: y + size / 2, class: `mark mark--${look}` }, escape(mark)),
    );
  return paths.join("") + marks.join("");
}

const round = (value) => Math.round(value * 100) / 100;

function byLook(all) {
  const groups = new Map();
  for (const each of all) {
    if (!groups.has(each.look)) groups.set(each.look, []);
    groups.get(each.look).push(each);
  }
  return groups;
}

/** The patterns that looks are filled with; a page needs them once. */
export const PATTERNS_SVG = tag(
  "svg",
  { width: 0, height: 0, class: "figure__patterns", "aria-hidden": "true", focusable: "false" },
  tag(
    "defs",
    {},
    pattern("dots", 5, '<circle cx="2.5" cy="2.5" r="1.1"/>'),
    pattern("bars", 5, '<path d="M1.5 0V5" stroke-width="1.6"/>'),
    pattern("hatch", 6, '<path d="M0 0V6" stroke-width="2.4"/>', "rotate(45)"),
    pattern("cross", 6, '<path d="M0 0V6M0 0H6" stroke-width="1"/>', "rotate(45)"),
  ),
);

function pattern(name, size, inside, turn = null) {
  const box = { width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: turn };
  return tag(
    "pattern",
    { id: `figure-${name}`, class: `pattern pattern--${name}`, ...box },
    inside,
  );
}

/** A drawing with what it shows in words. */
export function drawing(width, height, label, inside, more = {}) {
  const box = { viewBox: `0 0 ${width} ${height}`, width, height };
  return tag("svg", { ...box, role: "img", "aria-label": label, ...more }, inside);
}

// ---- Controls

/** The buttons of a figure that goes step by step. @returns {Control[]} */
export const transport = (state, last) => [
  { kind: "button", name: "restart", label: "Start" },
  { kind: "button", name: "back", label: "Back", disabled: state.at <= 0 },
  { kind: "button", name: "step", label: "Step", disabled: state.at >= last },
  { kind: "button", name: "play", label: "Play" },
];

/** Where the transport's buttons lead; null for another control. */
export function moved(name, at, last) {
  if (name === "restart") return 0;
  if (name === "back") return Math.max(0, at - 1);
  if (name === "step") return Math.min(last, at + 1);
  return null;
}

/** A number that the reader typed, kept within its limits. */
export const within = (value, min, max) => Math.min(max, Math.max(min, Math.round(Number(value))));

function field(id, control) {
  const { kind, name, label, value, options = [], min, max, step, disabled = false } = control;
  const own = { id: `${id}-${name}`, name, disabled };
  if (kind === "button") {
    // Not `disabled`: at the end of the run the focus would leave the button for another one.
    const button = { type: "button", id: own.id, name, "aria-disabled": disabled && "true" };
    return tag("button", { ...button, class: "figure__button" }, escape(label));
  }
  if (kind === "choice") return choice(id, control);
  const input =
    kind === "select"
      ? tag(
          "select",
          own,
          options.map(([v, text]) => option(v, text, value)),
        )
      : tag("input", { type: "number", ...own, value, min, max, step, inputmode: "numeric" });
  return tag(
    "label",
    { class: "figure__field", for: own.id },
    tag("span", {}, escape(label)),
    input,
  );
}

const option = (value, text, chosen) =>
  tag("option", { value, selected: String(value) === String(chosen) }, escape(text));

/** Radio buttons side by side: arrow keys move between them. */
function choice(id, { name, label, value, options = [] }) {
  const one = ([each, text]) => {
    const own = `${id}-${name}-${each}`;
    const input = { type: "radio", id: own, name: `${id}-${name}`, value: each, "data-name": name };
    const radio = tag("input", { ...input, checked: each === String(value) });
    return tag(
      "span",
      { class: "figure__option" },
      radio,
      tag("label", { for: own }, escape(text)),
    );
  };
  return tag(
    "fieldset",
    { class: "figure__choice" },
    tag("legend", {}, escape(label)),
    options.map(one),
  );
}

/** Shown by the style sheet alone, so that nothing moves when the figure wakes. */
const NO_MOTION = tag(
  "p",
  { class: "figure__motion" },
  "Play is off: your system asks for reduced motion.",
);

function row(id, { label, folded = false, controls }, index) {
  const inside = tag(
    "div",
    { class: "figure__row", role: "group", "aria-label": label },
    controls.map((control) => field(id, control)),
    controls.some(({ name }) => name === "play") ? NO_MOTION : "",
  );
  if (!folded) return inside;
  const fold = { class: "figure__fold", id: `${id}-fold-${index}` };
  return tag("details", fold, tag("summary", {}, escape(label)), inside);
}

const list = (words) =>
  tag(
    "ul",
    {},
    words.map((line) => tag("li", {}, escape(line))),
  );

/** What changes when the state does, by the part of the plate that it stands in. */
export function parts(figure, state) {
  return {
    stage: figure.draw(state),
    status: escape(figure.says(state)),
    words: list(figure.words(state)),
  };
}

const STILL = "A still picture: the controls need JavaScript.";

/**
 * The whole plate, as the build writes it.
 * @param {Figure} figure
 * @param {{id: string, number: number, preset: string, data: unknown}} place
 */
export function plate(figure, { id, number: count, preset, data }) {
  const state = figure.start(preset, data);
  const { stage, status, words } = parts(figure, state);
  const title = tag(
    "p",
    { class: "figure__title", id: `${id}-title` },
    tag("b", {}, `Figure ${count}.`),
    ` ${escape(figure.title)}`,
  );
  const controls = tag(
    "fieldset",
    { class: "figure__controls", disabled: true, "aria-label": `Controls of figure ${count}` },
    figure.rows(state).map((each, index) => row(id, each, index)),
  );
  const given =
    data === null
      ? ""
      : `<script type="application/json">${JSON.stringify(data).replace(/</g, "\\u003c")}</script>`;
  return tag(
    "figure",
    {
      class: "plate figure",
      id,
      "data-figure": figure.name,
      "data-preset": preset,
      "aria-labelledby": `${id}-title`,
    },
    title,
    tag("div", { class: "figure__stage" }, stage),
    tag("p", { class: "figure__status", role: "status" }, status),
    controls,
    tag("noscript", {}, tag("p", { class: "figure__still" }, STILL)),
    tag(
      "details",
      { class: "figure__words" },
      tag("summary", {}, "This picture in words"),
      tag("div", {}, words),
    ),
    given,
    tag("figcaption", {}, escape(figure.caption)),
  );
}
