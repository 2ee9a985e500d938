// @ts-check
/** One exchange's stamps on their way to the server: batched over the socket, or POSTed at the end without one. */

import { ClockSync } from "./clock-sync.js";
import { StampSocket } from "./stamp-socket.js";

const BATCH_MS = 200;
const PATIENCE_MS = 400; // a socket that is not open this long after the end is given up

/**
 * @typedef {import("./stamp-socket.js").Frame} Frame
 * @typedef {"arrive" | "paint"} Tap
 */

/**
 * Frames (all bear `exchange`; times are ms since the request was sent, on the browser's clock):
 * hello · begin {sent_at_ms} · sync {t0} · clock {offset_ms, uncertainty_ms, resolution_ms, isolated} ·
 * stamps {tap, rows: [[t, upto]]} · end {tap, t, end, detail}. The server answers sync {t0, t1, t2},
 * live {tap: "write", rows: [[its own epoch ms, upto]]}, verdict {answer, final}, error {code, what}.
 */
export class StampLine {
  /** @type {Record<Tap, [number, number][]>} */ #rows = { arrive: [], paint: [] };
  /** @type {ReturnType<typeof setInterval>} */ #timer;

  /**
   * @param {object} line
   * @param {string} line.exchange
   * @param {string} line.socketUrl
   * @param {string} line.postUrl
   * @param {() => number} line.now
   * @param {{resolution_ms: number, isolated: boolean}} line.clock
   * @param {(frame: Frame) => void} line.onframe what the server says, and our own clock frames
   */
  constructor({ exchange, socketUrl, postUrl, now, clock, onframe }) {
    this.exchange = exchange;
    this.postUrl = postUrl;
    this.onframe = onframe;
    this.sync = new ClockSync({
      now,
      ask: (t0) => this.socket.sendFirst({ type: "sync", exchange, t0 }),
      report: (offset) => {
        const frame = { type: "clock", exchange, ...offset, ...clock };
        this.socket.send(frame);
        onframe(frame);
      },
    });
    this.socket = new StampSocket(socketUrl, {
      onopen: () => {
        this.socket.sendFirst({ type: "hello", exchange });
        this.sync.start();
      },
      onframe: (frame) => (frame.type === "sync" ? this.sync.hear(/** @type {any} */ (frame)) : onframe(frame)),
    });
    this.#timer = setInterval(() => this.#flush(), BATCH_MS);
  }

  /** @param {number} sentAt ms since the epoch */
  begin(sentAt) {
    this.socket.send({ type: "begin", exchange: this.exchange, sent_at_ms: sentAt });
  }

  /** @param {Tap} tap @param {number} t @param {number} upto bytes of the body */
  stamp(tap, t, upto) {
    this.#rows[tap].push([t, upto]);
  }

  /** @param {Tap} tap @param {number} t @param {string} end @param {string} detail */
  end(tap, t, end, detail) {
    this.#flush();
    this.socket.send({ type: "end", exchange: this.exchange, tap, t, end, detail });
  }

  #flush() {
    for (const tap of /** @type {Tap[]} */ (["arrive", "paint"])) {
      const rows = this.#rows[tap].splice(0);
      if (rows.length) this.socket.send({ type: "stamps", exchange: this.exchange, tap, rows });
    }
  }

  /** After the last `end`: hand over by POST what the socket could not take. */
  async finish() {
    clearInterval(this.#timer);
    const until = performance.now() + PATIENCE_MS;
    while (!this.socket.open && !this.socket.failed && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.sync.stop();
    const frames = this.socket.takeUnsent();
    if (!frames.length) return;
    const body = JSON.stringify({ exchange: this.exchange, frames });
    const response = await fetch(this.postUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
    const said = response.ok ? await response.json() : null;
    if (said) this.onframe({ type: "verdict", exchange: this.exchange, answer: said.answer ?? said });
  }

  close() {
    clearInterval(this.#timer);
    this.sync.stop();
    this.socket.close();
  }
}
