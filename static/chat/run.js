// @ts-check
/** The run page: draws the stored timeline that came with the page. */

import { Scope } from "./scope.js";

const NAMES = /** @type {Record<string, string>} */ ({ write: "server writes", arrive: "arrivals", paint: "paints" });

const root = document.querySelector(".scope");
const data = document.getElementById("timeline-data");
if (root && data) {
  const { lanes, bound_ms: bound, events, left_out: left } = JSON.parse(data.textContent ?? "{}");
  const scope = new Scope(root);
  scope.show(lanes.map((/** @type {any} */ lane, /** @type {number} */ at) => ({
    name: NAMES[lane.name] ?? lane.name,
    rows: lane.rows,
    thin: lane.name === "paint",
    apart: at > 0 && !(lane.name in NAMES), // probes of several hops are several exchanges
  })));
  scope.events = events.map((/** @type {any} */ event) => ({
    kind: "",
    text: event.text ?? "",
    end: 0,
    times: lanes.map((/** @type {any} */ lane) => event[`t_${lane.name}`] ?? null),
  }));
  scope.bound(bound, left ? `${left} more events are in the captures` : "");
  scope.redraw();
}
