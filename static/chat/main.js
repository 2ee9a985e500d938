// @ts-check
/** The chat page: wires form, Worker, turns and timeline together. */

import { Composer } from "./composer.js";
import { exchangeId } from "./exchange-id.js";
import { FollowExchange } from "./follow-exchange.js";
import { followScroll } from "./follow-scroll.js";
import { Scope } from "./scope.js";
import { Status } from "./status.js";
import { TurnView } from "./turn-view.js";

/** @template {HTMLElement} T @param {string} id @returns {T} */
const get = (id) => /** @type {any} */ (document.getElementById(id));

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const status = new Status(get("state"));
const scope = new Scope(/** @type {Element} */ (document.querySelector(".scope")));
const transcript = /** @type {HTMLElement} */ (get("transcript"));
const keepInView = followScroll(transcript);

/** @type {Map<string, FollowExchange>} */
const followed = new Map();
/** @type {{role: string, content: string}[]} */
let history = [];
let current = "";

worker.onmessage = (/** @type {MessageEvent} */ { data }) => followed.get(data.exchange)?.hear(data);
document.addEventListener("visibilitychange", () => followed.get(current)?.law.request(false));

/** @param {string} prompt @param {string} route */
function send(prompt, route) {
  if (!prompt.trim()) return status.set("failed", "The prompt is empty: type what to ask, then Send.");
  if (!route) return status.set("failed", "There is no route: load one with manage.py routes load.");
  status.set("connecting");
  const exchange = exchangeId();
  const messages = [...history, { role: "user", content: prompt }];
  current = exchange;
  composer.busy = true;
  composer.clear();
  get("welcome")?.remove();
  const turn = new TurnView(get("turn"), { exchange, route, prompt });
  transcript.append(turn.root);
  keepInView(true);
  followed.set(exchange, new FollowExchange({
    exchange,
    turn,
    status,
    scope,
    tell: (message) => worker.postMessage(message),
    oncommit: keepInView,
    onended: (text, state) => {
      // A turn without an answer is left out, since many engines want user and assistant to alternate.
      if (text) history = [...messages, { role: "assistant", content: text }];
      composer.busy = false;
      if (state === "failed" && !text) composer.restore(prompt);
      keepInView();
    },
  }));
  worker.postMessage({ type: "start", exchange, ask: { exchange, route, messages } });
}

const stop = () => worker.postMessage({ type: "stop", exchange: current });

const composer = new Composer(
  { form: get("composer"), prompt: get("prompt"), route: get("route"), send: get("send"), stop: get("stop") },
  { onsend: send, onstop: stop },
);

get("fresh").addEventListener("click", () => {
  if (status.busy) return;
  history = [];
  transcript.replaceChildren();
  status.set("idle");
  get("prompt").focus();
});
transcript.addEventListener("click", (event) => {
  const pick = event.target instanceof Element ? event.target.closest("button[data-route]") : null;
  if (pick instanceof HTMLElement) composer.suggest(pick.dataset.route ?? "", "Count from 1 to 60.");
});
