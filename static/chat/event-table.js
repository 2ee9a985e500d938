// @ts-check
/** The timeline's data as a table: one row an event, one column a lane, times in ms since the request. */

import { element } from "./element.js";

const MOST = 400; // rows shown; the captures hold all

/**
 * @typedef {import("./match-rows.js").Row} Row
 * @typedef {{kind: string, text: string, end: number, times?: (number | null)[]}} Event `end`: bytes of the body up to
 *     the event's end, which tells its time in each lane unless `times` does
 */

/** @param {Row[]} rows @param {number} end @returns {number | null} when the lane had these bytes */
const timeAt = (rows, end) => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][1] < end) low = middle + 1;
    else high = middle;
  }
  return low < rows.length ? rows[low][0] : null;
};

/** @param {number} ms @returns {string} with its sign */
const signed = (ms) => `${ms < 0 ? "−" : "+"}${Math.abs(ms).toFixed(1)}`;

/** @param {number | null} ms @param {number | null} before */
const cell = (ms, before) => {
  const since = before !== null && ms !== null ? element("small", {}, ` ${signed(ms - before)}`) : null;
  return element("td", {}, ms === null ? "–" : ms.toFixed(1), since);
};

/**
 * @param {{head: Element, body: Element, count: Element}} table
 * @param {Event[]} events
 * @param {{name: string, rows: Row[]}[]} lanes
 */
export function showEvents({ head, body, count }, events, lanes) {
  const first = Math.max(0, events.length - MOST);
  count.textContent = first ? `(the last ${MOST} of ${events.length})` : `(${events.length})`;
  const withKind = events.some((event) => event.kind);
  const titles = ["#", ...(withKind ? ["Kind"] : []), "Text", ...lanes.map((lane) => lane.name)];
  head.replaceChildren(element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));
  body.replaceChildren(
    ...events.slice(first).map(({ kind, text, end, times: known }, i) => {
      const times = known ?? lanes.map((lane) => timeAt(lane.rows, end));
      const cells = times.map((time, at) => cell(time, at ? times[at - 1] : null));
      const facts = [String(first + i), ...(withKind ? [kind] : [])].map((fact) => element("td", {}, fact));
      return element("tr", {}, ...facts, element("td", { class: "text" }, text), ...cells);
    }),
  );
}
