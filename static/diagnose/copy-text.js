// @ts-check
/** Copies the text beside a `data-copy` button, also where the page is not secure and has no clipboard API. */

/** @param {HTMLElement} source */
async function copy(source) {
  if (navigator.clipboard) return navigator.clipboard.writeText(source.textContent ?? "");
  const selection = /** @type {Selection} */ (getSelection());
  selection.selectAllChildren(source);
  document.execCommand("copy");
  selection.removeAllRanges();
}

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-copy]") : null;
  const source = button?.parentElement?.querySelector("pre");
  if (!button || !source) return;
  let said = "Copied";
  try {
    await copy(source);
  } catch {
    getSelection()?.selectAllChildren(source);
    said = "Press Ctrl+C";
  }
  button.textContent = said;
  setTimeout(() => (button.textContent = "Copy"), 2000);
});
