/* Small things of every page: what scrolls can be reached by keyboard, findings can be copied. */

for (const code of document.querySelectorAll(".highlight > pre > code")) {
  code.tabIndex = 0; // a block of code that scrolls sideways scrolls by key too
  code.setAttribute("role", "region");
  code.setAttribute("aria-label", "Code");
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}
