// @ts-check
import { Status } from "/static/chat/status.js";
import { TextWriter } from "/static/chat/text-writer.js";
import { equal, ok, test } from "./check.js";

const place = () => document.body.appendChild(document.createElement("div"));

test("model output is text, whatever it looks like", () => {
  const element = place();
  const writer = new TextWriter(() => element);
  const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>&amp;";
  writer.take([{ choice: 0, part: "content", text: hostile }]);
  writer.commit();
  equal([element.textContent, element.children.length], [hostile, 0]);
});

test("channels are not mixed, and nothing shows before the commit", () => {
  const places = new Map([["content", place()], ["reasoning", place()]]);
  const writer = new TextWriter((piece) => /** @type {Element} */ (places.get(piece.part)));
  writer.take([{ choice: 0, part: "reasoning", text: "r1" }, { choice: 0, part: "content", text: "c1" }, { choice: 0, part: "reasoning", text: "r2" }]);
  equal(places.get("reasoning")?.textContent, "");
  writer.commit();
  equal([places.get("reasoning")?.textContent, places.get("content")?.textContent], ["r1r2", "c1"]);
});

test("a long answer is appended to, never written again", () => {
  const element = place();
  const writer = new TextWriter(() => element);
  for (let i = 0; i < 400; i++) {
    writer.take([{ choice: 0, part: "content", text: `word${i} ` }]);
    writer.commit();
  }
  const first = element.firstChild;
  ok(first instanceof Text && first.length < 1100 && element.childNodes.length > 2, "several text nodes of bounded length");
  ok(element.textContent?.startsWith("word0 ") && element.textContent.endsWith("word399 "), "whole and in order");
});

/** @param {() => number} now */
const statusAt = (now) => {
  const element = place();
  element.append(Object.assign(document.createElement("span"), { className: "words" }), Object.assign(document.createElement("span"), { className: "clock" }));
  return { element, status: new Status(element, now) };
};

test("two seconds without content after the first are a stall, and content ends it", async () => {
  let clock = 0;
  const { element, status } = statusAt(() => clock);
  status.set("connecting");
  status.set("waiting");
  clock = 5000;
  await new Promise((resolve) => setTimeout(resolve, 250));
  equal(element.dataset.state, "waiting", "before the first content there is no stall");
  status.content("streaming");
  clock = 6990;
  await new Promise((resolve) => setTimeout(resolve, 250));
  equal(element.dataset.state, "streaming");
  clock = 7300;
  await new Promise((resolve) => setTimeout(resolve, 250));
  equal(element.dataset.state, "stalled");
  ok(element.querySelector(".clock")?.textContent?.startsWith("2.3"), "the time since the last content ticks");
  status.content("thinking");
  equal(element.dataset.state, "thinking");
  status.set("done");
});

test("after the terminator silence is no stall", async () => {
  let clock = 0;
  const { element, status } = statusAt(() => clock);
  status.set("connecting");
  status.set("waiting");
  status.content("streaming");
  status.complete();
  clock = 9000;
  await new Promise((resolve) => setTimeout(resolve, 250));
  equal(element.dataset.state, "streaming");
  status.set("done");
});

test("a move that makes no sense raises and changes nothing", () => {
  const { element, status } = statusAt(() => 0);
  let raised = false;
  try {
    status.set("streaming");
  } catch {
    raised = true;
  }
  equal([raised, status.state, element.dataset.state], [true, "idle", undefined]);
});
