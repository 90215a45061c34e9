/* Small things of every page: what scrolls sideways says so, a link opens the tab that it leads
 * into, commands can be copied. */

const scrolling = ".highlight > pre > code, .scroll";

/** What the theme leaves without a name, or calls a landmark of which there are many. */
function name() {
  document.querySelector(".md-search:not([aria-label])")?.setAttribute("aria-label", "Search");
  for (const code of document.querySelectorAll(".highlight > pre > code:not([role])")) {
    code.setAttribute("role", "group"); // the theme makes one that scrolls reachable by key
    code.setAttribute("aria-label", "Code");
  }
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) {
    bar.setAttribute("role", "presentation"); // one button, no place to navigate to
  }
}

/** Mark boxes whose right end is out of sight; only what scrolls is a stop of the Tab key. */
function mark(boxes) {
  const sizes = boxes.map((box) => ({
    cut: box.scrollLeft + box.clientWidth < box.scrollWidth - 1,
    scrolls: box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight,
  })); // all are read before one is changed, or each would be laid out anew
  boxes.forEach((box, index) => {
    box.classList.toggle("is-cut", sizes[index].cut);
    if (box.matches(".scroll")) box.tabIndex = sizes[index].scrolls ? 0 : -1;
  });
}

const resized = new ResizeObserver((entries) => mark(entries.map((entry) => entry.target)));
const watched = new WeakSet();

function watch() {
  for (const box of document.querySelectorAll(scrolling)) {
    if (watched.has(box)) continue;
    watched.add(box);
    box.addEventListener("scroll", () => mark([box]), { passive: true });
    box.addEventListener("contentvisibilityautostatechange", () => mark([box]));
    resized.observe(box);
  }
}

/** The theme's script and the figures add to the page when they like. */
function tend() {
  name();
  watch();
}
new MutationObserver(tend).observe(document.body, { childList: true, subtree: true });
tend();

/** Show the tab that holds the target of the address. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const block = target?.closest(".tabbed-block");
  if (!block) return;
  const at = [...block.parentElement.children].indexOf(block);
  block.closest(".tabbed-set").querySelectorAll(":scope > input")[at].checked = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}
