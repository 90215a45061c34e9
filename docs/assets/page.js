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

/** Mark a box whose right end is out of sight. */
function mark(box) {
  box.classList.toggle("is-cut", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const resized = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
for (const box of document.querySelectorAll(scrolling)) {
  box.addEventListener("scroll", () => mark(box), { passive: true });
  resized.observe(box);
}

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
