// @ts-check
/** The timeline panel: keeps lanes and events, and redraws picture, figures and table at its leisure. */

import { showEvents } from "./event-table.js";
import { readouts } from "./readouts.js";
import { drawTimeline } from "./timeline.js";

const PICTURE_MS = 150; // between redraws while data flows
const FIGURES_MS = 1000;

/** @typedef {import("./timeline.js").Lane} Lane */

export class Scope {
  /** @type {Lane[]} */ lanes = [];
  /** @type {import("./event-table.js").Event[]} */ events = [];
  #clock = () => 0;
  #drawn = -Infinity;
  #figured = -Infinity;
  #asked = false;

  /** @param {Element} root holds the parts of `chat/scope.html` */
  constructor(root) {
    this.root = root;
    this.canvas = /** @type {HTMLCanvasElement} */ (this.#part("canvas"));
    this.details = /** @type {HTMLDetailsElement} */ (this.#part("events"));
    this.details.addEventListener("toggle", () => this.redraw());
    document.addEventListener("themechange", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  /** @param {Lane[]} lanes @param {() => number} clock where the axis ends by now, ms; 0: at the last stamp */
  show(lanes, clock = () => 0) {
    this.lanes = lanes;
    this.events = [];
    this.#clock = clock;
    this.redraw();
  }

  /** The axis grows no longer. @param {Lane[]} lanes whose end it is; nothing happens if others are shown by now */
  freeze(lanes) {
    if (lanes !== this.lanes) return;
    this.#clock = () => 0;
    this.redraw();
  }

  /** @param {number | null} ms half the best round trip @param {string} also */
  bound(ms, also = "") {
    const text = ms === null ? "clocks not compared" : `clock bound ± ${ms.toFixed(ms < 1 ? 3 : 1)} ms`;
    this.#part("bound").textContent = [text, also].filter(Boolean).join(" · ");
  }

  /** Data has come: redraw soon, not at once. */
  touch() {
    if (this.#asked) return;
    this.#asked = true;
    const wait = Math.max(0, this.#drawn + PICTURE_MS - performance.now());
    setTimeout(() => {
      this.#asked = false;
      this.#draw(performance.now() - this.#figured >= FIGURES_MS);
    }, wait);
  }

  redraw() {
    this.#draw(true);
  }

  /** @param {boolean} figures */
  #draw(figures) {
    this.#drawn = performance.now();
    if (this.#clock()) this.touch(); // silence has to grow as well
    const last = Math.max(0, ...this.lanes.map((lane) => lane.rows.at(-1)?.[0] ?? 0));
    drawTimeline(this.canvas, { lanes: this.lanes, until: Math.max(last, this.#clock()) * 1.02 });
    if (!figures) return;
    this.#figured = this.#drawn;
    this.#part("readouts").replaceChildren(...readouts(this.lanes));
    const count = this.#part("count");
    if (this.details.open) showEvents({ head: this.#part("event-head"), body: this.#part("event-rows"), count }, this.events, this.lanes);
    else count.textContent = `(${this.events.length})`;
  }

  /** @param {string} name @returns {Element} */
  #part(name) {
    return /** @type {Element} */ (this.root.querySelector(`[data-part=${name}]`));
  }
}
