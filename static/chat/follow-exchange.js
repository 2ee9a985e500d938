// @ts-check
/** One exchange as the page sees it: the Worker's messages become text, states, lanes and a verdict. */

import { awaitVerdict } from "./await-verdict.js";
import { PaintLaw } from "./paint-law.js";
import { showVerdict } from "./show-verdict.js";
import { TextWriter } from "./text-writer.js";

const SOCKET_MS = 1200; // how long the socket may take for the verdict before the API is asked
const PATIENCE_MS = 20_000;

/**
 * @typedef {import("./timeline.js").Lane} Lane
 * @typedef {import("./match-rows.js").Row} Row
 * @typedef {object} Around
 * @property {string} exchange
 * @property {import("./turn-view.js").TurnView} turn
 * @property {import("./status.js").Status} status
 * @property {import("./scope.js").Scope} scope
 * @property {(message: object) => void} tell the Worker
 * @property {() => void} oncommit text was added
 * @property {(text: string) => void} onended the answer's text
 */

export class FollowExchange {
  #sentAt = 0; // ms since the epoch
  #upto = 0;
  #shown = 0;
  #text = "";
  /** @type {[number, number][]} */ #writes = [];
  /** @type {number | null} */ #ahead = null;
  #judged = new AbortController();
  /** @type {{write: Lane, arrive: Lane & {texts: Row[]}, paint: Lane}} */
  lanes = {
    write: { name: "server writes", rows: [] },
    arrive: { name: "arrivals", rows: [], texts: [] },
    paint: { name: "paints", rows: [], thin: true },
  };

  /** @param {Around} around */
  constructor(around) {
    this.around = around;
    this.writer = new TextWriter((piece) => around.turn.place(piece));
    this.law = new PaintLaw({ commit: () => this.#commit(), painted: (at) => this.#painted(at) });
    this.shown = Object.values(this.lanes);
    around.scope.show(this.shown, () => (this.#sentAt ? performance.timeOrigin + performance.now() - this.#sentAt : 0));
  }

  /** @param {any} message from the Worker */
  hear(message) {
    const { status } = this.around;
    if (message.type === "sent") this.#sentAt = message.sentAt;
    else if (message.type === "head") status.set("waiting");
    else if (message.type === "read") this.#read(message);
    else if (message.type === "ended") this.#ended(message);
    else if (message.type === "live") this.#live(message.rows);
    else if (message.type === "clock") this.#compare(message);
    else if (message.type === "verdict") {
      this.#judged.abort();
      this.#judge(message.answer);
    }
  }

  /** @param {[number, number][]} rows the server's writes: epoch ms of the server's clock, bytes */
  #live(rows) {
    this.#writes.push(...rows);
    if (this.#ahead === null) return; // shown as soon as the clocks have been compared
    for (const [at, upto] of rows) this.lanes.write.rows.push([at - this.#ahead - this.#sentAt, upto]);
    this.around.scope.touch();
  }

  /** @param {any} clock how far the server's clock is ahead of ours, and how sure that is */
  #compare({ offset_ms: ahead, uncertainty_ms: bound, isolated }) {
    this.#ahead = ahead;
    this.around.scope.bound(bound, isolated ? "" : "page not isolated, stamps are coarse");
    this.lanes.write.rows.length = 0;
    this.#live(this.#writes.splice(0));
  }

  /** @param {any} message */
  #read({ t, upto, pieces, events, note }) {
    const { status, scope, turn } = this.around;
    this.#upto = upto;
    this.lanes.arrive.rows.push([t, upto]);
    for (const event of events) scope.events.push(event);
    scope.touch();
    if (note) turn.note(note);
    if (pieces.length) {
      this.lanes.arrive.texts.push([t, upto]);
      this.#text += pieces.filter((/** @type {any} */ p) => p.part === "content" && !p.choice).map((/** @type {any} */ p) => p.text).join("");
      this.writer.take(pieces);
      status.content(pieces.every((/** @type {any} */ piece) => piece.part === "reasoning") ? "thinking" : "streaming");
      this.law.request();
    }
    if (events.some((/** @type {any} */ event) => event.kind === "terminator")) status.complete();
  }

  #commit() {
    this.writer.commit();
    this.#shown = this.#upto;
    this.around.oncommit();
  }

  /** @param {number} at `performance.now()` */
  #painted(at) {
    /** @type {[number, number]} */
    const row = [performance.timeOrigin + at - this.#sentAt, this.#shown];
    this.lanes.paint.rows.push(row);
    this.around.tell({ type: "painted", exchange: this.around.exchange, rows: [row] });
    this.around.scope.touch();
  }

  /** @param {any} end */
  async #ended(end) {
    const { status, turn, scope, tell, exchange, onended } = this.around;
    const painted = this.law.finish(); // commits at once
    turn.busy = false;
    if (end.failure) turn.fail(end.failure);
    else turn.note(end.words, end.state);
    status.set(end.state, end.state === "failed" ? `Failed: ${end.words}` : undefined);
    onended(this.#text);
    await painted;
    if (this.law.wasHidden) turn.note("The tab was hidden for a while: no paint stamps for that time.");
    tell({ type: "painted", exchange, rows: [], last: { t: end.t, hidden: this.law.wasHidden } });
    if (this.#ahead === null) scope.bound(null, "no socket: the run page has the server's side");
    scope.freeze(this.shown);
    await new Promise((resolve) => setTimeout(resolve, SOCKET_MS));
    if (this.#judged.signal.aborted) return;
    const answer = end.failure?.ours ? null : await awaitVerdict(exchange, { signal: this.#judged.signal, patience: PATIENCE_MS });
    if (this.#judged.signal.aborted) return;
    if (answer) this.#judge(answer);
    else turn.noVerdict();
  }

  /** @param {import("./show-verdict.js").Answer} answer */
  #judge(answer) {
    showVerdict(this.around.turn, this.around.exchange, answer);
    this.around.oncommit();
  }
}
