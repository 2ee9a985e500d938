// @ts-check
/** The 50 ms law: text is committed in the first frame 45 ms or more after the last commit, and paints are stamped. */

const LAW_MS = 45;
const HIDDEN_MS = 250; // a hidden tab gets no frames; its text still has to come
const LAST_FRAME_MS = 500; // a window that is covered may get none either

/**
 * @typedef {object} Line
 * @property {() => void} commit put all that is pending into the page
 * @property {(at: number) => void} painted a frame began after the last commit had been drawn; `at` as `performance.now()`
 * @property {(run: (frameAt: number) => void) => void} [frame]
 * @property {() => number} [now]
 * @property {() => boolean} [hidden]
 */

export class PaintLaw {
  #pending = false;
  #framesToPaint = 0; // until the last commit has been drawn; 0 where nothing waits
  #looping = false;
  #lastCommit = -Infinity;
  #lastPaint = -Infinity;
  #lastFrame = -Infinity;
  /** @type {number[]} */ #frames = [1000 / 60];
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  wasHidden = false;

  /** @param {Line} line */
  constructor({ commit, painted, frame = requestAnimationFrame, now = () => performance.now(), hidden = () => document.hidden }) {
    this.line = { commit, painted, frame: frame.bind(globalThis), now, hidden };
  }

  /** There is something to commit. Call it also when the tab's visibility changes. */
  request(more = true) {
    this.#pending ||= more;
    if (!this.#pending && !this.#framesToPaint) return;
    if (this.line.hidden()) {
      this.wasHidden = true;
      this.#framesToPaint = 0;
      this.#timer ??= setTimeout(() => this.#commit(this.line.now(), 2), HIDDEN_MS);
    } else if (!this.#looping) {
      this.#looping = true;
      this.line.frame((at) => this.#frame(at));
    }
  }

  /** The last commit, exempt from the law. Resolves once it is painted, or cannot be. */
  async finish() {
    this.#commit(this.line.now(), 2); // not in a frame: the next one draws it, the one after knows
    this.request(false);
    const given = this.line.now() + LAST_FRAME_MS;
    while (this.#framesToPaint && this.line.now() < given) await new Promise((resolve) => setTimeout(resolve, 4));
    this.#framesToPaint = 0;
  }

  /** @param {number} at ms @param {number} frames until it has been drawn */
  #commit(at, frames) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = false;
    this.#lastCommit = at;
    this.wasHidden ||= this.line.hidden();
    this.#framesToPaint = this.line.hidden() ? 0 : frames;
    this.line.commit();
  }

  /** @param {number} at the frame's own time, which is even where callbacks come late */
  #frame(at) {
    this.#looping = false;
    const gap = at - this.#lastFrame;
    if (gap > 0 && gap < Infinity) this.#frames = [...this.#frames.slice(-7), gap];
    this.#lastFrame = at;
    if (this.#framesToPaint && !--this.#framesToPaint) {
      this.#lastPaint = this.line.now();
      this.line.painted(this.#lastPaint);
    }
    if (this.#pending && this.#due(at)) this.#commit(at, 1);
    this.request(false);
  }

  /** @param {number} at @returns {boolean} false also where the paint, a frame from now, would follow a late one too soon */
  #due(at) {
    const nextFrame = at + Math.min(...this.#frames);
    return at - this.#lastCommit >= LAW_MS && nextFrame - this.#lastPaint > LAW_MS;
  }
}
