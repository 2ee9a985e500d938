// @ts-check
/** The run page: draws the stored timeline that came with the page. */

import { Scope } from "./scope.js";

const root = document.querySelector(".scope");
const data = document.getElementById("timeline-data");
if (root && data) {
  const { lanes = [], bound_ms: bound = null, events = [] } = JSON.parse(data.textContent ?? "{}") ?? {};
  const scope = new Scope(root);
  scope.show(lanes);
  scope.events = events;
  scope.bound(bound);
  scope.redraw();
}
