// @ts-check
/** Lists the chosen files, innermost hop first, to be named and moved before they are sent. */

import { element } from "../chat/element.js";

const KINDS = ["engine", "gateway", "app", "proxy", "network-path", "browser"];

/** @param {string} name @returns {number} where a file's name places it; unknown ones keep their place at the end */
const rank = (name) => {
  const at = KINDS.findIndex((kind) => name.toLowerCase().includes(kind));
  return at < 0 ? KINDS.length : at;
};

/** @param {HTMLInputElement} input @param {HTMLElement} list */
export function orderFiles(input, list) {
  /** @type {{file: File, hop: string}[]} */
  let rows = [];

  /** @param {number} at @param {number} to */
  const move = (at, to) => {
    rows.splice(to, 0, ...rows.splice(at, 1));
    if (input.form) /** @type {any} */ (input.form.elements).ordered.value = "1"; // else the server orders by kind
    show();
    /** @type {HTMLElement | null} */ (list.children[to]?.querySelector("button:not([disabled])"))?.focus();
  };

  /** @param {{file: File, hop: string}} row @param {number} at */
  const item = (row, at) => {
    const name = /** @type {HTMLInputElement} */ (
      element("input", { name: "hop", "aria-label": `Hop of ${row.file.name}`, placeholder: "name of its hop", value: row.hop })
    );
    name.addEventListener("input", () => (row.hop = name.value));
    const up = element("button", { type: "button", class: "quiet", "aria-label": `Move ${row.file.name} inwards` }, "↑");
    up.toggleAttribute("disabled", at === 0);
    up.addEventListener("click", () => move(at, at - 1));
    return element("li", {}, element("span", {}, row.file.name), name, up);
  };

  const show = () => {
    const transfer = new DataTransfer();
    for (const { file } of rows) transfer.items.add(file);
    input.files = transfer.files;
    list.replaceChildren(...rows.map(item));
    list.hidden = !rows.length;
  };

  input.addEventListener("change", () => {
    rows = [...(input.files ?? [])].map((file) => ({ file, hop: "" })).sort((a, b) => rank(a.file.name) - rank(b.file.name));
    show();
  });
}

for (const input of document.querySelectorAll("input[data-order]")) {
  const list = document.getElementById(/** @type {HTMLElement} */ (input).dataset.order ?? "");
  if (input instanceof HTMLInputElement && list) orderFiles(input, list);
}
