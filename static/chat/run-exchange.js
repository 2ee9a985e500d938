// @ts-check
/** One exchange from request to end, in the Worker: sends, stamps, parses, and tells the page. */

import { readDelta } from "./deltas.js";
import { failureOf } from "./failure.js";
import { judgeEnd } from "./judge-end.js";
import { pickParser } from "./pick-parser.js";
import { readStream } from "./read-stream.js";

/**
 * @typedef {import("./deltas.js").Piece} Piece
 * @typedef {import("./sse.js").SSEEvent} SSEEvent
 * @typedef {{how: "complete" | "cut" | "aborted", state: string, words: string, failure?: import("./failure.js").Failure}} Ending
 */

/** @param {Piece[]} pieces @returns {Piece[]} neighbours of one channel joined */
const joined = (pieces) => {
  /** @type {Piece[]} */
  const rows = [];
  for (const piece of pieces) {
    const last = rows.at(-1);
    if (last?.part === piece.part && last.choice === piece.choice) last.text += piece.text;
    else rows.push({ ...piece });
  }
  return rows;
};

/**
 * @param {object} work
 * @param {string} work.url
 * @param {object} work.ask JSON of the request
 * @param {AbortSignal} work.signal
 * @param {() => number} work.now
 * @param {(sentAt: number) => void} work.onsent
 * @param {() => void} work.onhead the status line is here and good
 * @param {(row: {t: number, upto: number, pieces: Piece[], events: object[], note: string}) => void} work.onread
 * @returns {Promise<Ending & {t: number, upto: number}>}
 */
export async function runExchange({ url, ask, signal, now, onsent, onhead, onread }) {
  const body = JSON.stringify(ask);
  const sentAt = now();
  onsent(sentAt);
  const seen = { terminator: false, finishes: /** @type {string[]} */ ([]), error: "" };
  let upto = 0;
  /** @param {Ending} ending */
  const ended = (ending) => ({ t: now() - sentAt, upto, ...ending });
  /** @param {"complete" | "cut"} how */
  const judged = (how) => {
    const real = signal.aborted ? "aborted" : how;
    return ended({ how: real, ...judgeEnd({ how: real, ...seen }) });
  };
  /** @param {import("./failure.js").Failure} failure */
  const failed = (failure) => ended({ how: "complete", state: "failed", words: failure.what, failure });

  let response;
  try {
    const headers = { "content-type": "application/json", accept: "text/event-stream, application/x-ndjson" };
    response = await fetch(url, { method: "POST", headers, body, signal, cache: "no-store" });
  } catch {
    if (signal.aborted) return judged("cut");
    const where = new URL(url).origin;
    const failure = { what: "Streamscope's own server does not answer.", where, do: "Is it still running? Start it with make run.", ours: true };
    return { ...failed(failure), how: "cut" };
  }
  const type = response.headers.get("content-type") ?? "";
  try {
    if (!response.ok) return failed(failureOf(response.status, type, await response.text()));
    onhead();
    let parser;
    for await (const { t, bytes } of readStream(response, now)) {
      upto += bytes.length;
      parser ??= pickParser(type, bytes);
      if (!parser) return failed(failureOf(response.status, type, "<"));
      take(t, parser.feed(bytes));
    }
    if (parser && "close" in parser) take(now(), parser.close());
    return judged("complete");
  } catch (error) {
    if (error instanceof RangeError) seen.error = `The stream cannot be read: ${error.message}.`;
    return judged("cut");
  }

  /** @param {number} at @param {SSEEvent[]} events */
  function take(at, events) {
    const deltas = events.map((event) => ({ ...readDelta(event), end: event.end }));
    for (const delta of deltas) {
      seen.terminator ||= delta.terminator;
      seen.finishes.push(...delta.finishes.map((finish) => finish.reason));
      seen.error ||= delta.error;
    }
    onread({
      t: at - sentAt,
      upto,
      pieces: joined(deltas.flatMap((delta) => delta.pieces)),
      events: deltas.map((delta) => ({ kind: delta.kind, end: delta.end, text: delta.pieces[0]?.text.slice(0, 60) ?? "" })),
      note: deltas.findLast((delta) => delta.note)?.note ?? "",
    });
  }
}
