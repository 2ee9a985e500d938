// @ts-check
/** Which parser fits a response: by its content type, else by how its body begins. */

import { NDJSONParser } from "./ndjson.js";
import { SSEParser } from "./sse.js";

/** @typedef {SSEParser | NDJSONParser} Parser */

/** @param {string} contentType @param {Uint8Array} first the first bytes of the body @returns {Parser | null} null: no stream */
export function pickParser(contentType, first) {
  if (/event-stream/i.test(contentType)) return new SSEParser();
  if (/ndjson|jsonl|json-seq/i.test(contentType)) return new NDJSONParser();
  const begins = new TextDecoder().decode(first.subarray(0, 64)).trimStart();
  if (begins.startsWith("<")) return null; // an HTML page
  return begins.startsWith("{") ? new NDJSONParser() : new SSEParser();
}
