// @ts-check
/** The Worker: reads streams and owns the stamps, so that a busy page delays neither. */

import { clockResolution } from "./clock-resolution.js";
import { now } from "./now.js";
import { runExchange } from "./run-exchange.js";
import { StampLine } from "./stamp-line.js";

const ORIGIN = self.location.origin;
const CLOCK = { resolution_ms: clockResolution(), isolated: self.crossOriginIsolated };
/** @type {Record<string, [string, string]>} kind and detail of the captures' ends */
const ENDS = {
  complete: ["complete", ""],
  cut: ["truncated", "browser-cannot-tell"],
  aborted: ["aborted", "stopped in the browser"],
};
const VERDICT_MS = 15_000; // how long a socket stays open for the verdict

/** @type {Map<string, {controller: AbortController, stamps: StampLine, end: [string, string]}>} */
const running = new Map();

/** @param {string} exchange @param {object} ask */
async function start(exchange, ask) {
  const controller = new AbortController();
  const stamps = new StampLine({
    exchange,
    socketUrl: `${ORIGIN.replace(/^http/, "ws")}/ws/stamps/`,
    postUrl: `${ORIGIN}/chat/stamps`,
    now,
    clock: CLOCK,
    onframe: (frame) => self.postMessage({ ...frame, exchange }),
  });
  running.set(exchange, { controller, stamps, end: ["open", ""] });
  const end = await runExchange({
    url: `${ORIGIN}/chat/stream`,
    ask,
    signal: controller.signal,
    now,
    onsent: (sentAt) => {
      stamps.begin(sentAt);
      self.postMessage({ type: "sent", exchange, sentAt });
    },
    onhead: () => self.postMessage({ type: "head", exchange }),
    onread: (row) => {
      stamps.stamp("arrive", row.t, row.upto);
      self.postMessage({ type: "read", exchange, ...row });
    },
  });
  const how = ENDS[end.how];
  stamps.end("arrive", end.t, ...how);
  running.set(exchange, { controller, stamps, end: how });
  self.postMessage({ type: "ended", exchange, ...end });
}

/** @param {string} exchange @param {{rows: [number, number][], last?: {t: number, hidden: boolean}}} paints */
async function painted(exchange, { rows, last }) {
  const own = running.get(exchange);
  if (!own) return;
  const { stamps, end } = own;
  for (const [t, upto] of rows) stamps.stamp("paint", t, upto);
  if (!last) return;
  stamps.end("paint", last.t, end[0], last.hidden ? "hidden-tab" : end[1]);
  setTimeout(() => close(exchange), VERDICT_MS);
  await stamps.finish().catch(() => {}); // the page asks /api/runs/ when no verdict comes
}

/** @param {string} exchange */
function close(exchange) {
  running.get(exchange)?.stamps.close();
  running.delete(exchange);
}

self.onmessage = ({ data }) => {
  if (data.type === "start") start(data.exchange, data.ask);
  if (data.type === "stop") running.get(data.exchange)?.controller.abort();
  if (data.type === "painted") painted(data.exchange, data);
  if (data.type === "close") close(data.exchange);
};
