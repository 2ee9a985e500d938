// @ts-check
/** The three lanes of a chat while it runs, all in ms since the request was sent, on the browser's clock. */

/**
 * @typedef {import("./timeline.js").Lane} Lane
 * @typedef {import("./match-rows.js").Row} Row
 */

export class LiveLanes {
  /** @type {Row[]} the server's writes in epoch ms of its own clock */ #writes = [];
  /** @type {number | null} */ #ahead = null;
  /** @type {Row[]} */ #texts = [];
  /** ms since the epoch */ sentAt = 0;
  /** @type {[write: Lane, arrive: Lane, paint: Lane]} */
  lanes = [
    { name: "server writes", rows: [] },
    { name: "arrivals", rows: [], texts: this.#texts },
    { name: "paints", rows: [], thin: true },
  ];

  /** Whether the clocks have been compared, without which the server's writes have no place here. */
  get compared() {
    return this.#ahead !== null;
  }

  /** @returns {number} ms since the request was sent; 0 before */
  now() {
    return this.sentAt && performance.timeOrigin + performance.now() - this.sentAt;
  }

  /** @param {Row[]} rows epoch ms of the server's clock, bytes */
  written(rows) {
    this.#writes.push(...rows);
    this.#place(rows);
  }

  /** @param {number} ahead how far the server's clock is ahead of ours, ms */
  compare(ahead) {
    this.#ahead = ahead;
    this.lanes[0].rows.length = 0;
    this.#place(this.#writes);
  }

  /** @param {number} t @param {number} upto @param {boolean} withText */
  arrived(t, upto, withText) {
    this.lanes[1].rows.push([t, upto]);
    if (withText) this.#texts.push([t, upto]);
  }

  /** @param {number} at `performance.now()` @param {number} upto @returns {Row} */
  painted(at, upto) {
    /** @type {Row} */
    const row = [performance.timeOrigin + at - this.sentAt, upto];
    this.lanes[2].rows.push(row);
    return row;
  }

  /** @param {Row[]} rows */
  #place(rows) {
    if (this.#ahead === null) return;
    for (const [at, upto] of rows) this.lanes[0].rows.push([at - this.#ahead - this.sentAt, upto]);
  }
}
