// @ts-check
/** Server-sent events to the letter of WHATWG HTML ("Interpreting an event stream"): bytes in, events out. */

import { joinBytes } from "./join-bytes.js";

const LF = 10;
const CR = 13;
const MAX_LINE = 32 * 1024 * 1024; // bytes; a longer line is an attack or a bug, not a chat

/**
 * @typedef {object} SSEEvent
 * @property {string} type `message` unless the stream names another
 * @property {string} data
 * @property {string} lastEventId
 * @property {number} end bytes of the body up to the end of this event
 */

/**
 * Splits at bytes, so any re-chunking gives the same events: CR and LF never occur inside a UTF-8 sequence,
 * and each line is decoded whole. A last block without its blank line is not dispatched, as the standard says.
 */
export class SSEParser {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // only the BOM at the very start is dropped, by us
  /** @type {Uint8Array[]} */ #held = [];
  #heldBytes = 0;
  #offset = 0;
  #afterCR = false;
  #atStart = true;
  #type = "";
  #data = "";
  #hasData = false;
  #id = "";

  /** @param {Uint8Array} bytes @returns {SSEEvent[]} events that these bytes complete */
  feed(bytes) {
    /** @type {SSEEvent[]} */
    const events = [];
    let start = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      const endsCRLF = this.#afterCR && byte === LF;
      this.#afterCR = false;
      if (endsCRLF) {
        start = i + 1; // the CR has ended the line already
      } else if (byte === LF || byte === CR) {
        const event = this.#line(this.#decode(bytes.subarray(start, i)), this.#offset + i + 1);
        if (event) events.push(event);
        start = i + 1;
        this.#afterCR = byte === CR;
      }
    }
    this.#offset += bytes.length;
    if (start < bytes.length) this.#hold(bytes.slice(start));
    return events;
  }

  /** @param {Uint8Array} rest */
  #hold(rest) {
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (this.#heldBytes > MAX_LINE) throw new RangeError(`a line of the stream is longer than ${MAX_LINE} bytes`);
  }

  /** @param {Uint8Array} last @returns {string} the line that ends with these bytes */
  #decode(last) {
    const line = joinBytes([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    const text = this.#decoder.decode(line);
    const hasBOM = this.#atStart && text.startsWith("\ufeff");
    this.#atStart = false;
    return hasBOM ? text.slice(1) : text;
  }

  /** @param {string} line @param {number} end @returns {SSEEvent | null} the event that a blank line dispatches */
  #line(line, end) {
    if (line === "") return this.#dispatch(end);
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "event") this.#type = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "data") {
      this.#data += this.#hasData ? `\n${value}` : value;
      this.#hasData = true;
    }
    return null; // `retry` is of no use to a POST, which is never sent again by itself
  }

  /** @param {number} end @returns {SSEEvent | null} */
  #dispatch(end) {
    const event = this.#hasData ? { type: this.#type || "message", data: this.#data, lastEventId: this.#id, end } : null;
    this.#type = this.#data = "";
    this.#hasData = false;
    return event;
  }
}
