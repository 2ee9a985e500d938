// @ts-check
/** One exchange as the page sees it: the Worker's messages become text, states, lanes and a verdict. */

import { awaitVerdict } from "./await-verdict.js";
import { LiveLanes } from "./live-lanes.js";
import { PaintLaw } from "./paint-law.js";
import { showVerdict } from "./show-verdict.js";
import { TextWriter } from "./text-writer.js";

const SOCKET_MS = 1200; // how long the socket may take for the verdict before the API is asked
const PATIENCE_MS = 20_000;

/**
 * @typedef {import("./deltas.js").Piece} Piece
 * @typedef {object} Around
 * @property {string} exchange
 * @property {import("./turn-view.js").TurnView} turn
 * @property {import("./status.js").Status} status
 * @property {import("./scope.js").Scope} scope
 * @property {(message: object) => void} tell the Worker
 * @property {() => void} oncommit something was added
 * @property {(text: string, state: string) => void} onended the answer's text
 */

export class FollowExchange {
  #upto = 0;
  #shown = 0;
  #text = "";
  #headSeen = false;
  #judged = new AbortController();
  #live = new LiveLanes();

  /** @param {Around} around */
  constructor(around) {
    this.around = around;
    this.writer = new TextWriter((piece) => around.turn.place(piece));
    this.law = new PaintLaw({ commit: () => this.#commit(), painted: (at) => this.#painted(at) });
    around.scope.show(this.#live.lanes, () => this.#live.now());
  }

  /** @param {any} message from the Worker */
  hear(message) {
    const { status, scope } = this.around;
    if (message.type === "sent") this.#live.sentAt = message.sentAt;
    else if (message.type === "head") {
      this.#headSeen = true;
      status.set("waiting");
    } else if (message.type === "read") this.#read(message);
    else if (message.type === "ended") this.#ended(message);
    else if (message.type === "live") this.#live.written(message.rows);
    else if (message.type === "clock") {
      this.#live.compare(message.offset_ms);
      scope.bound(message.uncertainty_ms, message.isolated ? "" : "page not isolated, stamps are coarse");
    } else if (message.type === "verdict") this.#judge(message.answer);
    scope.touch();
  }

  /** @param {any} message */
  #read({ t, upto, pieces, events, note }) {
    const { status, scope, turn } = this.around;
    this.#upto = upto;
    this.#live.arrived(t, upto, pieces.length > 0);
    for (const event of events) scope.events.push(event);
    if (note) turn.note(note);
    if (pieces.length) {
      for (const { part, choice, text } of pieces) if (part === "content" && choice === 0) this.#text += text;
      this.writer.take(pieces);
      status.content(pieces.every((/** @type {Piece} */ piece) => piece.part === "reasoning") ? "thinking" : "streaming");
      this.law.request();
    }
    if (events.some((/** @type {{kind: string}} */ event) => event.kind === "terminator")) status.complete();
  }

  #commit() {
    this.writer.commit();
    this.#shown = this.#upto;
    this.around.oncommit();
  }

  /** @param {number} at `performance.now()` */
  #painted(at) {
    if (!this.#shown) return; // nothing of the stream is on the screen
    const row = this.#live.painted(at, this.#shown);
    this.around.tell({ type: "painted", exchange: this.around.exchange, rows: [row] });
  }

  /** @param {any} end */
  async #ended(end) {
    const { status, turn, scope, tell, exchange, onended } = this.around;
    const painted = this.law.finish(); // commits at once
    turn.busy = false;
    if (end.failure) turn.fail(end.failure);
    else turn.note(end.words, end.state);
    status.set(end.state, end.state === "failed" ? `Failed: ${end.words}` : undefined);
    onended(this.#text, end.state);
    await painted;
    if (this.law.wasHidden) turn.note("The tab was hidden for a while: no paint stamps for that time.");
    tell({ type: "painted", exchange, rows: [], last: { t: end.t, hidden: this.law.wasHidden } });
    scope.freeze(this.#live.lanes);
    await new Promise((resolve) => setTimeout(resolve, SOCKET_MS));
    if (!this.#live.compared) scope.bound(null, "no socket: the run page has the server's side");
    // Refused, or stopped before it was answered: the server may never have had it, and is not asked.
    const unknown = end.failure?.ours || (end.state === "stopped" && !this.#headSeen);
    const answer = unknown ? null : await awaitVerdict(exchange, { signal: this.#judged.signal, patience: PATIENCE_MS });
    if (this.#judged.signal.aborted) return;
    if (answer) this.#judge(answer);
    else turn.noVerdict();
  }

  /** @param {import("./show-verdict.js").Answer} answer */
  #judge(answer) {
    this.#judged.abort(); // no need to ask any more
    showVerdict(this.around.turn, this.around.exchange, answer);
    this.around.oncommit();
  }
}
