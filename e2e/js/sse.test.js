// @ts-check
import { SSEParser } from "/static/chat/sse.js";
import { equal, ok, test } from "./check.js";

const { cases } = await (await fetch("sse-conformance.json")).json();
/** @param {string} hex */
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
/** @param {Uint8Array[]} chunks */
const parse = (chunks) => {
  const parser = new SSEParser();
  return chunks.flatMap((chunk) => parser.feed(chunk)).map(({ type, data, lastEventId }) => [type, data, lastEventId]);
};

test("there are 35 conformance cases", () => equal(cases.length, 35));

for (const { name, hex, events } of cases) {
  const body = bytesOf(hex);
  test(`${name}: whole, in ones, in twos`, () => {
    equal(parse([body]), events, "whole");
    for (const size of [1, 2]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
      equal(parse(chunks), events, `chunks of ${size}`);
    }
  });
  if (body.length <= 100) {
    test(`${name}: cut in two and in three at every byte`, () => {
      for (let a = 0; a <= body.length; a++) {
        equal(parse([body.subarray(0, a), body.subarray(a)]), events, `cut at ${a}`);
        for (let b = a; b <= body.length; b += 7) {
          equal(parse([body.subarray(0, a), body.subarray(a, b), new Uint8Array(), body.subarray(b)]), events, `cuts at ${a}, ${b}`);
        }
      }
    });
  }
  test(`${name}: Chromium's own EventSource agrees`, async () => {
    equal(await viaEventSource(hex, events), events);
  });
}

/** @param {string} hex @param {[string, string, string][]} events what to expect: it names the types to listen to */
function viaEventSource(hex, events) {
  return new Promise((resolve) => {
    /** @type {unknown[]} */
    const seen = [];
    const source = new EventSource(`/stream?hex=${hex}`);
    /** @param {MessageEvent} event */
    const note = (event) => seen.push([event.type, event.data, event.lastEventId]);
    for (const type of new Set(["message", ...events.map(([each]) => each)])) source.addEventListener(type, note);
    source.onerror = () => {
      source.close(); // the end of the body; it would connect again
      resolve(seen);
    };
  });
}

test("an event's end counts the bytes up to its blank line, characters of several bytes included", () => {
  const encoder = new TextEncoder();
  const [one, two] = ["data: 漢字🙂\n\n", "data: b\r\n\r\n"].map((text) => encoder.encode(text));
  const parser = new SSEParser();
  const ends = [...parser.feed(one.subarray(0, 8)), ...parser.feed(one.subarray(8)), ...parser.feed(two)].map((event) => event.end);
  equal(ends[0], one.length);
  ok(Math.abs(ends[1] - one.length - two.length) <= 1, "a blank line that ends in CR stands before its LF comes");
});

test("a line that never ends is given up instead of eating all memory", () => {
  const parser = new SSEParser();
  const chunk = new Uint8Array(8 * 1024 * 1024).fill(97);
  let fault = "";
  try {
    for (let i = 0; i < 5; i++) parser.feed(chunk);
  } catch (error) {
    fault = String(error);
  }
  ok(fault.includes("longer than"), fault);
});
