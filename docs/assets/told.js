/* What a figure in a table or a chart tells: put together when somebody asks.
 *
 * The figure is a link to its line of the log, and leads there without this script. Its attributes
 * hold what is its own; what all figures of a capture share is the capture's note at the page's end.
 */

export const figures = "a.figure, a.chart__point";

/** An element with its attributes, and its contents: texts and elements. */
function made(tag, attributes, ...contents) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...contents);
  return element;
}

/** An attribute of the link or of what it stands in: rows hold a line, cards hold a note. */
function near(link, name) {
  return link.closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? "";
}

/** The log line with the first whole `figure` marked. */
function marked(line, figure) {
  const escaped = figure.replaceAll(".", "\\.");
  const found = line.match(new RegExp(`(?<![\\d.])${escaped}(?!\\d|\\.\\d)`));
  if (!found) return [line];
  const end = found.index + figure.length;
  return [line.slice(0, found.index), made("mark", {}, figure), line.slice(end)];
}

function logLine(link, value) {
  const href = link.getAttribute("href");
  const where = made("a", { href }, `line ${href.split("#L")[1]}`);
  const line = made("code", { class: "receipt__line" }, ...marked(near(link, "said"), value));
  return made("p", { class: "receipt__step" }, where, " ", line);
}

function formula({ by, byHref, formula: text, means }) {
  const code = made("code", { class: "receipt__line" }, text);
  const start = by ? [made("a", { href: byHref }, by), `, ${means}: `] : ["Computed: "];
  return made("p", { class: "receipt__step" }, ...start, code);
}

/** What a note says of a whole capture, to stand in a card. */
export function whole(id) {
  return [...(document.getElementById(id)?.children ?? [])].map((child) => child.cloneNode(true));
}

/** The receipt of a figure as a fragment. */
export function told(link) {
  const { value = link.textContent, unit = "", what, also, point, key = point } = link.dataset;
  const range = link.dataset.range ?? link.closest("td")?.querySelector(".spread")?.textContent;
  const said = [unit && !what.includes(unit) ? ` ${unit}` : "", ` ${what}, ${key}`].join("");
  const shown = made("p", { class: "receipt__shown" }, made("b", {}, value), said);
  const parts = [shown];
  if (range) parts.push(made("p", { class: "receipt__says" }, `All runs: ${range}`));
  if (also) parts.push(made("p", { class: "receipt__says" }, `At ${also}`));
  parts.push(logLine(link, value));
  if (link.dataset.formula) parts.push(formula(link.dataset));
  parts.push(...whole(near(link, "note")));
  const fragment = document.createDocumentFragment();
  fragment.append(...parts);
  return fragment;
}

/** One stop of the tab key for a table or a chart; arrow keys move between its figures. */
export function rove(group) {
  const all = [...group.querySelectorAll(`${figures}, td a.value`)];
  for (const [at, link] of all.entries()) link.setAttribute("tabindex", at ? -1 : 0);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  group.addEventListener("keydown", (event) => {
    const at = all.indexOf(event.target);
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = all[(at + steps[event.key] + all.length) % all.length];
    all[at].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
}
