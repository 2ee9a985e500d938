// @ts-check
/** Draws lanes of stamps over a common time axis; thin lines join what one lane sent to when the next had it. */

import { matchRows } from "./match-rows.js";

/**
 * @typedef {import("./match-rows.js").Row} Row
 * @typedef {object} Lane
 * @property {string} name
 * @property {Row[]} rows
 * @property {Row[]} [texts] the rows that brought text, where only those reach the next lane
 * @property {boolean} [thin]
 * @property {boolean} [apart] of another exchange than the lane before: the two are not joined
 * @typedef {{lanes: Lane[], until: number}} Picture `until` ms: the end of the axis
 */

const LEFT = 8;
const RIGHT = 8;
const TOP = 6;
const AXIS = 20;
const LABEL = 16;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5];
const TICK_PX = 64;

/** @param {HTMLCanvasElement} canvas @returns {CanvasRenderingContext2D} scaled to CSS pixels, cleared */
const fresh = (canvas) => {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
};

/** @param {number} ms @param {number} step */
const label = (ms, step) => (step < 1000 ? `${(ms / 1000).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1)} s` : `${ms / 1000} s`);

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
export function drawTimeline(canvas, { lanes, until }) {
  const pen = fresh(canvas);
  const css = getComputedStyle(canvas);
  /** @param {string} name */
  const colour = (name) => css.getPropertyValue(name).trim();
  const width = canvas.clientWidth - LEFT - RIGHT;
  const bottom = canvas.clientHeight - AXIS;
  if (width <= 0 || bottom <= TOP || !lanes.length) return;
  const span = Math.max(until, 100);
  /** @param {number} t */
  const x = (t) => LEFT + (Math.min(Math.max(t, 0), span) / span) * width;
  pen.font = `11px ${css.fontFamily}`;

  const step = STEPS.find((each) => (each / span) * width >= TICK_PX) ?? 6e5;
  for (let t = 0; t <= span; t += step) {
    pen.fillStyle = colour("--scope-grid");
    pen.fillRect(Math.round(x(t)), TOP, 1, bottom - TOP);
    pen.fillStyle = colour("--scope-ink");
    const text = label(t, step);
    pen.fillText(text, Math.min(x(t), LEFT + width - pen.measureText(text).width), bottom + 14);
  }

  const weights = lanes.map((lane) => (lane.thin ? 0.5 : 1));
  const unit = (bottom - TOP) / weights.reduce((sum, weight) => sum + weight, 0);
  let top = TOP;
  const bands = lanes.map((_, i) => {
    const band = { from: top + LABEL, to: top + unit * weights[i] - 8 };
    top += unit * weights[i];
    return band;
  });

  pen.fillStyle = colour("--scope-link");
  pen.strokeStyle = colour("--scope-link");
  pen.lineWidth = 1;
  for (let i = 0; i + 1 < lanes.length; i++) {
    if (lanes[i + 1].apart) continue;
    let last = -2;
    pen.beginPath();
    for (const { from, to } of matchRows(lanes[i].texts ?? lanes[i].rows, lanes[i + 1].rows)) {
      if (x(from) - last < 2) continue; // closer than the eye can tell
      last = x(from);
      pen.moveTo(last, bands[i].to);
      pen.lineTo(x(to), bands[i + 1].from);
    }
    pen.stroke();
  }

  lanes.forEach((lane, i) => {
    const { from, to } = bands[i];
    pen.fillStyle = colour(`--scope-lane-${(i % 3) + 1}`);
    let last = -1;
    for (const [t] of lane.rows) {
      const column = Math.round(x(t));
      if (column !== last) pen.fillRect(column, from, 1.5, to - from);
      last = column;
    }
    pen.fillRect(LEFT, to, width, 1);
    const title = `${lane.name} · ${lane.rows.length}`;
    pen.fillStyle = css.backgroundColor; // so that the joining lines do not cross the words
    pen.fillRect(LEFT, from - LABEL + 1, pen.measureText(title).width + 6, LABEL - 2);
    pen.fillStyle = colour("--scope-ink");
    pen.fillText(title, LEFT, from - 4);
  });
}
