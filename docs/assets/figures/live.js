/** Wakes the figures of a page: each plate's controls change its state, and the state redraws it. */

import { parts } from "./plate.js";

const MODULES = {
  "phase-stepper": () => import("./phase-stepper.js"),
  "guard-explorer": () => import("./guard-explorer.js"),
  "barrier-timeline": () => import("./barrier-timeline.js"),
  calculator: () => import("./calculator.js"),
  "bank-view": () => import("./bank-view.js"),
};
const BEAT = 600; // ms a step while playing
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

class Plate {
  /** @param {HTMLElement} root @param {import("./plate.js").Figure} figure */
  constructor(root, figure) {
    const data = root.querySelector(':scope > script[type="application/json"]');
    this.root = root;
    this.figure = figure;
    this.state = figure.start(root.dataset.preset, data ? JSON.parse(data.textContent) : null);
    this.timer = 0;
    this.controls = root.querySelector(".figure__controls");
    this.status = root.querySelector(".figure__status");
    this.controls.addEventListener("click", (event) => this.pressed(event));
    this.controls.addEventListener("input", (event) => this.typed(event.target, false));
    this.controls.addEventListener("change", (event) => this.typed(event.target, true));
    root.querySelector(".figure__stage").addEventListener("click", (event) => this.picked(event));
    stillness.addEventListener("change", () => this.rest());
    this.controls.disabled = false;
    this.sync();
    root.dataset.live = "";
  }

  pressed({ target }) {
    const button = target.closest("button");
    if (button === null) return;
    const playing = this.timer !== 0;
    this.rest();
    if (button.name !== "play") this.change(button.name, "");
    else if (!playing) this.play();
  }

  typed(input, done) {
    const { type, value } = input;
    if (input.tagName === "BUTTON" || (type === "radio" && !input.checked)) return;
    if (type === "number" && !done && (value === "" || !input.validity.valid)) return; // still typing
    this.rest();
    if (type === "number" && value === "") return;
    this.change(input.dataset.name ?? input.name, value);
  }

  /** A part of the drawing that stands for a control, for those who point. */
  picked({ target }) {
    const part = target.closest("[data-pick]");
    if (part !== null) this.change(part.dataset.pick, part.dataset.value);
  }

  change(name, value) {
    this.state = this.figure.change(this.state, name, value);
    this.redraw();
  }

  play() {
    if (stillness.matches) return;
    if (this.state.at >= this.figure.last(this.state)) this.change("restart", "");
    this.timer = setInterval(() => {
      this.change("step", "");
      if (this.state.at >= this.figure.last(this.state)) this.rest();
    }, BEAT);
    this.sync();
  }

  rest() {
    clearInterval(this.timer);
    this.timer = 0;
    this.sync();
  }

  redraw() {
    const { stage, status, words } = parts(this.figure, this.state);
    this.root.querySelector(".figure__stage").innerHTML = stage;
    if (this.status.innerHTML !== status) this.status.innerHTML = status;
    this.root.querySelector(".figure__words > div").innerHTML = words;
    this.sync();
  }

  /** Show in the controls what the state holds, whoever changed it. */
  sync() {
    this.status.setAttribute("aria-live", this.timer ? "off" : "polite"); // not a word every beat
    const all = this.figure.rows(this.state).flatMap((row) => row.controls);
    for (const control of all) this.show(control);
  }

  show({ kind, name, label, value, min, max, options, disabled = false }) {
    if (kind === "choice") {
      for (const radio of this.controls.querySelectorAll(`[data-name="${name}"]`)) {
        radio.checked = radio.value === String(value);
      }
      return;
    }
    const field = this.controls.querySelector(`[name="${name}"]`);
    if (name === "play") {
      field.textContent = this.timer ? "Pause" : label;
      field.disabled = stillness.matches;
      return;
    }
    if (kind === "button") {
      field.setAttribute("aria-disabled", disabled); // at the end Step stays where the focus is
      return;
    }
    field.disabled = disabled;
    if (kind === "number") Object.assign(field, { min, max });
    if (options !== undefined && field.options.length !== options.length) {
      field.replaceChildren(...options.map(([each, text]) => new Option(text, each)));
    }
    if (field.value !== String(value)) field.value = value;
  }
}

for (const root of document.querySelectorAll("figure[data-figure]")) {
  const load = MODULES[root.dataset.figure];
  if (load !== undefined) new Plate(root, (await load()).default);
}
