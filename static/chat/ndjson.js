// @ts-check
/** Newline-delimited JSON, as Ollama streams it: bytes in, one record a line out. */

import { joinBytes } from "./join-bytes.js";

const LF = 10;

/** @typedef {import("./sse.js").SSEEvent} SSEEvent */

/** Gives the same shape as the SSE parser, type `record`; a last line without its LF is given by `close`. */
export class NDJSONParser {
  #decoder = new TextDecoder("utf-8");
  /** @type {Uint8Array[]} */ #held = [];
  #offset = 0;

  /** @param {Uint8Array} bytes @returns {SSEEvent[]} */
  feed(bytes) {
    /** @type {SSEEvent[]} */
    const records = [];
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
      records.push(...this.#record(bytes.subarray(start, at), this.#offset + at + 1));
      start = at + 1;
    }
    this.#offset += bytes.length;
    if (start < bytes.length) this.#held.push(bytes.slice(start));
    return records;
  }

  /** @returns {SSEEvent[]} the unterminated last record, if any */
  close() {
    return this.#record(new Uint8Array(), this.#offset);
  }

  /** @param {Uint8Array} last @param {number} end @returns {SSEEvent[]} */
  #record(last, end) {
    const data = this.#decoder.decode(joinBytes([...this.#held, last])).trim();
    this.#held = [];
    return data ? [{ type: "record", data, lastEventId: "", end }] : [];
  }
}
