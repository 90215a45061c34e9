/* Small things of every page: what scrolls sideways says so, a link opens the tab that it leads
 * into, commands can be copied. */

const scrolling = ".highlight > pre > code, .scroll, .md-typeset__scrollwrap";

/** What the theme leaves without a name, or calls a landmark of which there are many. */
function name() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const code of document.querySelectorAll(".highlight > pre > code:not([role])")) {
    code.setAttribute("role", "group"); // the theme makes one that scrolls reachable by key
    code.setAttribute("aria-label", "Code");
  }
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) {
    bar.setAttribute("role", "presentation"); // one button, no place to navigate to
  }
}
new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
name();

/** Mark a box whose right end is out of sight; what scrolls can be reached by key. */
function mark(box) {
  box.classList.toggle("is-cut", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  if (box.matches(".md-typeset__scrollwrap") && box.scrollWidth > box.clientWidth) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Table");
  }
}

const resized = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
const watched = new WeakSet();

/** The theme puts its boxes around tables when it likes, so they are looked for again. */
function watch() {
  for (const box of document.querySelectorAll(scrolling)) {
    if (watched.has(box)) continue;
    watched.add(box);
    box.addEventListener("scroll", () => mark(box), { passive: true });
    resized.observe(box);
  }
}
new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
watch();

/** Show the tab that holds the target of the address. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
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
