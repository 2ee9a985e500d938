// @ts-check
/** One turn on the page: what was asked, the answer's channels, how it ended. Made from `<template id="turn">`. */

import { element } from "./element.js";

const LONGEST_ECHO = 4000; // chars of the prompt that are shown again

/** @typedef {import("./deltas.js").Piece} Piece */

export class TurnView {
  /** @param {HTMLTemplateElement} template @param {{exchange: string, route: string, prompt: string}} turn */
  constructor(template, { exchange, route, prompt }) {
    this.root = /** @type {HTMLElement} */ (/** @type {Element} */ (template.content.firstElementChild).cloneNode(true));
    const more = prompt.length - LONGEST_ECHO;
    this.part("asked").textContent =
      more > 0 ? `${prompt.slice(0, LONGEST_ECHO)} … and ${more.toLocaleString("en")} characters more` : prompt;
    this.part("via").textContent = route;
    this.answer = this.part("answer");
    this.answer.dataset.exchange = exchange;
    this.busy = true;
  }

  /** @param {boolean} is a busy answer is read out only when it stands */
  set busy(is) {
    this.answer.setAttribute("aria-busy", String(is));
    this.root.classList.toggle("busy", is);
  }

  /** @param {string} name @returns {HTMLElement} */
  part(name) {
    return /** @type {HTMLElement} */ (this.root.querySelector(`.${name}`));
  }

  /** Where a channel's text goes: the answer itself, its thinking, or a block of its own. @param {Piece} piece */
  place({ choice, part }) {
    if (part === "content" && choice === 0) return this.answer;
    const text = element("div", { class: "text" });
    const name = { content: "Answer", reasoning: "Thinking" }[part] ?? `Tool call ${part.slice("tool:".length)}`;
    const title = choice ? `${name}, choice ${choice + 1}` : name;
    const block = element("details", { class: `channel ${part.split(":")[0]}`, open: "" }, element("summary", {}, title), text);
    if (part === "reasoning" && choice === 0) this.answer.before(block);
    else this.part("more").append(block);
    return text;
  }

  /** A sentence about the end or the way, under the answer. @param {string} text @param {string} kind */
  note(text, kind = "note") {
    if (text) this.part("notes").append(element("p", { class: kind }, text));
  }

  noVerdict() {
    this.part("verdict").textContent = "no verdict";
    this.part("verdict").dataset.verdict = "unknown";
    this.part("summary").textContent = "This exchange was not recorded.";
  }

  /** @param {import("./failure.js").Failure} failure */
  fail({ what, where, do: remedy }) {
    const full = `${what.charAt(0).toUpperCase()}${what.slice(1)}${/[.!?…]$/.test(what) ? "" : "."}`;
    const lines = [element("strong", {}, full), where && element("span", { class: "where" }, where), remedy && element("span", {}, remedy)];
    this.part("notes").append(element("div", { class: "failure", role: "alert" }, ...lines.map((line) => line || null)));
  }
}
