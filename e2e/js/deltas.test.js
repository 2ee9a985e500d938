// @ts-check
import { readDelta } from "/static/chat/deltas.js";
import { NDJSONParser } from "/static/chat/ndjson.js";
import { pickParser } from "/static/chat/pick-parser.js";
import { SSEParser } from "/static/chat/sse.js";
import { equal, ok, test } from "./check.js";

/** @param {object} delta @param {object} more */
const chunk = (delta, more = {}) => ({ type: "message", data: JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] }) });
/** @param {{type: string, data: string}} event */
const pieces = (event) => readDelta(event).pieces.map((piece) => [piece.choice, piece.part, piece.text]);

test("content, and thinking under each of its names, have their own channels", () => {
  equal(pieces(chunk({ content: "a" })), [[0, "content", "a"]]);
  equal(pieces(chunk({ reasoning: "r" })), [[0, "reasoning", "r"]]);
  equal(pieces(chunk({ reasoning_content: "r" })), [[0, "reasoning", "r"]]);
});

test("thinking that is sent under two names is shown once", () => {
  equal(pieces(chunk({ reasoning: "r", reasoning_content: "r" })), [[0, "reasoning", "r"]]);
});

test("a choice keeps its index", () => equal(pieces(chunk({ content: "b" }, { index: 1 })), [[1, "content", "b"]]));

test("tool calls are kept apart by index", () => {
  const calls = [{ index: 1, function: { name: "search", arguments: "{\"q\"" } }];
  equal(pieces(chunk({ tool_calls: calls })), [[0, "tool:1", "search {\"q\""]]);
});

test("role-only, empty and usage chunks are no content", () => {
  equal(readDelta(chunk({ role: "assistant", content: "" })).kind, "role");
  equal(readDelta(chunk({ content: "" })).kind, "empty");
  equal(readDelta({ type: "message", data: '{"choices":[],"usage":{"total_tokens":3}}' }).kind, "usage");
});

test("a finish reason is a finish, also beside text", () => {
  const both = readDelta(chunk({ content: "." }, { finish_reason: "length" }));
  equal([both.kind, both.finishes], ["text", [{ choice: 0, reason: "length" }]]);
});

test("[DONE] is the terminator, with and without spaces", () => {
  ok(readDelta({ type: "message", data: "[DONE]" }).terminator, "[DONE]");
  ok(readDelta({ type: "answer", data: " [DONE] " }).terminator, "with spaces");
});

test("an error inside the stream gives its message", () => {
  equal(readDelta({ type: "message", data: '{"error":{"message":"out of memory","code":500}}' }).error, "out of memory");
  equal(readDelta({ type: "error", data: '{"message":"Connection error."}' }).error, "Connection error.");
  equal(readDelta({ type: "record", data: '{"error":"model not found"}' }).error, "model not found");
});

test("FastGPT's events: answers, heartbeats, nodes, tools", () => {
  equal(pieces({ ...chunk({ content: "hi" }), type: "answer" }), [[0, "content", "hi"]]);
  equal(readDelta({ ...chunk({ content: "" }), type: "answer" }).kind, "empty");
  equal(readDelta({ type: "flowNodeStatus", data: '{"status":"running","name":"AI chat"}' }).note, "AI chat");
  equal(pieces({ type: "toolParams", data: '{"tool":{"id":"x","params":"{}"}}' }), [[0, "tool:x", "{}"]]);
  equal(readDelta({ type: "flowResponses", data: "[]" }).kind, "unknown");
});

test("Ollama's records: text, thinking, and done as finish and terminator", () => {
  equal(pieces({ type: "record", data: '{"message":{"content":"a","thinking":"t"},"done":false}' }), [[0, "reasoning", "t"], [0, "content", "a"]]);
  const last = readDelta({ type: "record", data: '{"message":{"content":""},"done":true,"done_reason":"stop"}' });
  equal([last.kind, last.terminator, last.finishes], ["terminator", true, [{ choice: 0, reason: "stop" }]]);
});

test("what is no JSON, or odd JSON, is unknown and nothing breaks", () => {
  for (const data of ["", "nonsense", "null", "7", "[]", '{"choices":null}', '{"choices":[null]}', '{"choices":[{"delta":7}]}']) {
    const { kind, pieces: none } = readDelta({ type: "message", data });
    ok(["unknown", "empty"].includes(kind) && !none.length, `${data} gave ${kind}`);
  }
});

test("NDJSON survives any cut, and its last record needs no line end", () => {
  const bytes = new TextEncoder().encode('{"a":"漢"}\n\n{"b":2}\r\n{"c":3}');
  for (let cut = 0; cut <= bytes.length; cut++) {
    const parser = new NDJSONParser();
    const records = [...parser.feed(bytes.subarray(0, cut)), ...parser.feed(bytes.subarray(cut)), ...parser.close()];
    equal(records.map((record) => record.data), ['{"a":"漢"}', '{"b":2}', '{"c":3}'], `cut at ${cut}`);
  }
});

test("the parser follows the content type, else the first bytes; a page is no stream", () => {
  const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
  ok(pickParser("text/event-stream; charset=utf-8", bytes("{")) instanceof SSEParser, "event stream");
  ok(pickParser("application/x-ndjson", bytes("x")) instanceof NDJSONParser, "ndjson");
  ok(pickParser("text/plain", bytes("data: x")) instanceof SSEParser, "plain text that looks like events");
  ok(pickParser("", bytes(' {"done":false}')) instanceof NDJSONParser, "looks like records");
  equal(pickParser("text/html", bytes("<!doctype html>")), null);
});
