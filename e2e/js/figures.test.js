// @ts-check
import { ClockSync } from "/static/chat/clock-sync.js";
import { exchangeId } from "/static/chat/exchange-id.js";
import { failureOf } from "/static/chat/failure.js";
import { judgeEnd } from "/static/chat/judge-end.js";
import { matchRows } from "/static/chat/match-rows.js";
import { quantiles } from "/static/chat/quantiles.js";
import { equal, ok, test } from "./check.js";

test("quantiles interpolate, and of nothing there are none", () => {
  equal([quantiles([4, 1, 3, 2], [0.5, 1]), quantiles([1, 2], [0.95]), quantiles([], [0.5])], [[2.5, 4], [1.95], [null]]);
});

test("rows are paired by what bytes the outer side has, not by their number", () => {
  const pairs = matchRows([[0, 10], [5, 20], [9, 30], [12, 40]], [[1, 5], [6, 20], [15, 35]]);
  equal(pairs, [{ from: 0, to: 6, upto: 10 }, { from: 5, to: 6, upto: 20 }, { from: 9, to: 15, upto: 30 }]);
});

test("exchange ids are UUIDs, also without randomUUID, and differ", () => {
  const ids = new Set(Array.from({ length: 200 }, exchangeId));
  equal(ids.size, 200);
  ok([...ids].every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)), "shape");
});

test("the clock offset is that of the quickest round trip, and its bound half of that", () => {
  let clock = 0;
  /** @type {any[]} */
  const reports = [];
  const trips = [40, 6, 30, 2, 50, 20, 20, 20]; // ms there; back takes 1 ms; the server is 1000 ms ahead
  const sync = new ClockSync({
    now: () => clock,
    report: (offset) => reports.push(offset),
    ask: (t0) => {
      const there = trips.shift();
      if (there === undefined) return;
      const t1 = clock + there + 1000;
      clock += there + 1;
      sync.hear({ t0, t1, t2: t1 });
    },
  });
  sync.start();
  sync.stop();
  equal(reports.length, 1);
  const { offset_ms: offset, uncertainty_ms: bound } = reports[0];
  equal([offset, bound], [1000.5, 1.5]);
  ok(Math.abs(offset - 1000) <= bound, "the truth lies within the bound");
});

const clean = { how: /** @type {const} */ ("complete"), terminator: true, finishes: ["stop"], error: "" };
for (const [name, seen, state] of /** @type {[string, object, string][]} */ ([
  ["finish and terminator", {}, "done"],
  ["a finish alone", { terminator: false }, "done"],
  ["a terminator alone", { finishes: [] }, "done"],
  ["a clean end with neither", { terminator: false, finishes: [] }, "truncated"],
  ["a cut", { how: "cut", terminator: false, finishes: [] }, "truncated"],
  ["a cut after the terminator, when all is there", { how: "cut" }, "done"],
  ["our own stop", { how: "aborted", terminator: false, finishes: [] }, "stopped"],
  ["an error inside the stream, even with its terminator", { error: "out of memory" }, "failed"],
])) {
  test(`${name} is ${state}`, () => equal(judgeEnd({ ...clean, ...seen }).state, state));
}

test("a refusal of ours is shown as it is, an upstream's by status and message", () => {
  const ours = failureOf(404, "application/json", '{"what":"no route x","where":"route","do":"See routes list."}');
  equal(ours, { what: "no route x", where: "route", do: "See routes list.", ours: true });
  const theirs = failureOf(401, "application/json", '{"error":{"message":"bad key"}}');
  equal([theirs.what, theirs.where, theirs.ours], ["bad key", "HTTP 401 from upstream", false]);
  ok(failureOf(502, "text/html", "<h1>Bad Gateway</h1>").what.includes("HTML"), "a page");
});
