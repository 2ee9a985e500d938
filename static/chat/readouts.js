// @ts-check
/** The figures under the timeline: gaps within each lane, delays from lane to lane, and the clock's bound. */

import { element } from "./element.js";
import { matchRows } from "./match-rows.js";
import { quantiles } from "./quantiles.js";

/** @param {number | null} ms */
const show = (ms) => (ms === null ? "–" : ms.toFixed(Math.abs(ms) < 10 ? 2 : 1));

/** @param {string} name @param {number[]} values */
const line = (name, values) =>
  element("tr", {}, element("th", { scope: "row" }, name), ...quantiles(values, [0.5, 0.95, 1]).map((ms) => element("td", {}, show(ms))));

/** @param {import("./timeline.js").Lane[]} lanes @returns {Element[]} rows of a table */
export function readouts(lanes) {
  const delays = lanes.slice(1).flatMap((lane, i) => {
    if (lane.apart) return [];
    const pairs = matchRows(lanes[i].texts ?? lanes[i].rows, lane.rows);
    return [line(`${lanes[i].name} → ${lane.name}`, pairs.map((pair) => pair.to - pair.from))];
  });
  const gaps = lanes.map(({ name, rows }) => line(`gaps, ${name}`, rows.slice(1).map(([t], i) => t - rows[i][0])));
  return [...delays, ...gaps];
}
