// @ts-check
/** Two runs to compare: keeps the ticks when the list renews itself, and lets go of the oldest when a third is ticked. */

/** @type {string[]} ids in the order in which they were ticked */
let picked = [];

const boxes = () => /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[name=run]"));
const button = /** @type {HTMLButtonElement | null} */ (document.querySelector("#pick button"));

function show() {
  for (const box of boxes()) box.checked = picked.includes(box.value);
  if (button) button.disabled = picked.length !== 2;
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.name !== "run") return;
  picked = picked.filter((id) => id !== target.value);
  if (target.checked) picked = [...picked, target.value].slice(-2);
  show();
});
document.addEventListener("htmx:afterSettle", show);
picked = [...boxes()].filter((box) => box.checked).map((box) => box.value).slice(-2); // what a browser restored
show();
