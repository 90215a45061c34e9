/** What the build asks for: a figure's plate as HTML, and which figures and presets there are. */

import phaseStepper from "./phase-stepper.js";
import guardExplorer from "./guard-explorer.js";
import barrierTimeline from "./barrier-timeline.js";
import calculator from "./calculator.js";
import bankView from "./bank-view.js";
import { PATTERNS_SVG, plate } from "./plate.js";

const FIGURES = [phaseStepper, guardExplorer, barrierTimeline, calculator, bankView];

/** The names of all figures, with the names of their presets; the first is the default. */
export const known = () =>
  Object.fromEntries(FIGURES.map(({ name, presets }) => [name, Object.keys(presets)]));

/** The plate of figure `name`; the first one of a page carries the patterns for all. */
export function still(name, place, first) {
  const figure = FIGURES.find((each) => each.name === name);
  return plate(figure, place) + (first ? PATTERNS_SVG : "");
}
