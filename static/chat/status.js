// @ts-check
/** The state of the current exchange, in words, with a ticking time; a move that makes no sense raises. */

const ENDS = ["done", "truncated", "stopped", "failed"];
const MOVES = /** @type {Record<string, string[]>} */ ({
  idle: ["connecting", "failed"],
  connecting: ["waiting", ...ENDS],
  waiting: ["thinking", "streaming", ...ENDS],
  thinking: ["streaming", "stalled", ...ENDS],
  streaming: ["thinking", "stalled", ...ENDS],
  stalled: ["thinking", "streaming", ...ENDS],
  ...Object.fromEntries(ENDS.map((end) => [end, ["idle", "connecting", "failed"]])),
});
const WORDS = /** @type {Record<string, string>} */ ({
  idle: "Ready",
  connecting: "Connecting",
  waiting: "Waiting for the first token",
  thinking: "Thinking",
  streaming: "Streaming",
  stalled: "Stalled, no new text for",
  done: "Done",
  truncated: "Truncated",
  stopped: "Stopped",
  failed: "Failed",
});
const STALL_MS = 2000;
const TICK_MS = 100;

export class Status {
  #state = "idle";
  #since = 0; // when the exchange began
  #content = 0; // when content last came; 0 before the first
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;

  /** @param {HTMLElement} element holds `.words` (announced) and `.clock` (not) @param {() => number} now */
  constructor(element, now = () => performance.now()) {
    this.element = element;
    this.now = now;
  }

  get state() {
    return this.#state;
  }

  get busy() {
    return this.#state !== "idle" && !ENDS.includes(this.#state);
  }

  /** @param {string} state @param {string} words said instead of the usual ones */
  set(state, words = WORDS[state]) {
    if (state === this.#state && state !== "failed") return;
    if (!MOVES[this.#state].includes(state) && state !== this.#state) throw new Error(`no way from ${this.#state} to ${state}`);
    const wasBusy = this.busy;
    this.#state = state;
    this.element.dataset.state = state;
    this.#part("words").textContent = words;
    if (this.busy && !wasBusy) {
      this.#since = this.now();
      this.#content = 0;
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
    }
    if (!this.busy) clearInterval(this.#timer);
    this.#tick();
    if (!wasBusy && !this.busy) this.#part("clock").textContent = "";
  }

  /** Text, thinking or a tool's arguments came. @param {"thinking" | "streaming"} state */
  content(state) {
    this.#content = this.now();
    this.set(state);
  }

  /** The answer is complete, only the connection is still open: silence is no stall any more. */
  complete() {
    this.#content = 0;
  }

  /** @param {string} name @returns {Element} */
  #part(name) {
    return /** @type {Element} */ (this.element.querySelector(`.${name}`));
  }

  #tick() {
    const now = this.now();
    const silent = this.#content ? now - this.#content : 0;
    if (silent >= STALL_MS && (this.#state === "streaming" || this.#state === "thinking")) return this.set("stalled");
    const ms = this.#state === "stalled" ? silent : now - this.#since;
    this.#part("clock").textContent = this.#state === "idle" ? "" : `${(ms / 1000).toFixed(1)} s`;
  }
}
