// @ts-check
/** NTP's four stamps over the stamps socket: how far the server's clock is from ours, and how sure that is. */

const QUICK = 8; // samples in a row at the start
const LATER_MS = 1000; // then one a second, since clocks drift and the first round trips are slow ones
const WINDOW = 16; // samples among which the quickest round trip wins

/**
 * @typedef {{offset_ms: number, uncertainty_ms: number}} Offset server's clock minus ours; at most off by uncertainty
 * @typedef {{t0: number, t1: number, t2: number}} Reply
 */

/** Asks through `ask(t0)`, is told replies through `hear`, and reports each better offset. */
export class ClockSync {
  /** @type {{offset: number, delay: number}[]} */ #window = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #heard = 0;
  #best = Infinity;

  /** @param {{ask: (t0: number) => void, report: (offset: Offset) => void, now: () => number}} line */
  constructor({ ask, report, now }) {
    this.ask = ask;
    this.report = report;
    this.now = now;
  }

  start() {
    this.ask(this.now());
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** @param {Reply} reply */
  hear({ t0, t1, t2 }) {
    const t3 = this.now();
    this.#window.push({ offset: (t1 - t0 + t2 - t3) / 2, delay: t3 - t0 - (t2 - t1) });
    if (this.#window.length > WINDOW) this.#window.shift();
    this.#heard += 1;
    const best = this.#window.reduce((a, b) => (b.delay < a.delay ? b : a));
    if (this.#heard >= QUICK && best.delay !== this.#best) {
      this.#best = best.delay;
      this.report({ offset_ms: best.offset, uncertainty_ms: Math.max(0, best.delay) / 2 });
    }
    if (this.#heard < QUICK) this.start();
    else this.#timer = setTimeout(() => this.start(), LATER_MS);
  }
}
