// @ts-check
import { PaintLaw } from "/static/chat/paint-law.js";
import { equal, ok, test } from "./check.js";

/** A page whose frames come when the test says so. `late(n)`: how late the nth frame's callbacks run, ms. */
function fakePage({ frameMs = 1000 / 60, late = (/** @type {number} */ _n) => 0, hidden = () => false } = {}) {
  const page = {
    clock: 0, count: 0, commits: /** @type {number[]} */ ([]), paints: /** @type {number[]} */ ([]),
    /** @type {((at: number) => void)[]} */ waiting: [],
    law: /** @type {PaintLaw} */ (/** @type {unknown} */ (null)),
    step() {
      page.count += 1;
      const at = page.count * frameMs;
      page.clock = at + late(page.count);
      for (const run of page.waiting.splice(0)) run(at);
    },
  };
  page.law = new PaintLaw({
    commit: () => page.commits.push(page.clock),
    painted: (at) => page.paints.push(at),
    frame: (run) => page.waiting.push(run),
    now: () => page.clock,
    hidden,
  });
  return page;
}

/** @param {number[]} times */
const gaps = (times) => times.slice(1).map((time, i) => time - times[i]);

test("text that comes all the time is committed every third frame at 60 Hz", () => {
  const page = fakePage();
  for (let i = 0; i < 60; i++) {
    page.law.request();
    page.step();
  }
  ok(page.commits.length === 20, `${page.commits.length} commits`);
  ok(gaps(page.commits).every((gap) => gap >= 45 && gap < 51), `${gaps(page.commits)}`);
});

for (const frameMs of [1000 / 60, 1000 / 120, 1000 / 144, 1000 / 30]) {
  test(`paints are 45 ms or more apart with frames of ${frameMs.toFixed(1)} ms that run late at random`, () => {
    let seed = 7;
    const late = () => ((seed = (seed * 48271) % 2147483647) / 2147483647) * Math.min(12, frameMs * 0.9);
    const page = fakePage({ frameMs, late });
    for (let i = 0; i < 600; i++) {
      page.law.request();
      page.step();
    }
    ok(page.paints.length > 50, `${page.paints.length} paints`);
    ok(Math.min(...gaps(page.paints)) >= 45, `least gap ${Math.min(...gaps(page.paints))}`);
  });
}

test("the first text is committed in the first frame, and its paint is the next frame", () => {
  const page = fakePage();
  page.law.request();
  page.step();
  page.step();
  equal([page.commits.length, page.paints.length], [1, 1]);
  ok(page.paints[0] > page.commits[0], "after the commit's own frame");
});

test("no text, no commit, and no frame is asked for", () => {
  const page = fakePage();
  page.law.request();
  for (let i = 0; i < 10; i++) page.step();
  equal([page.commits.length, page.waiting.length], [1, 0]);
});

test("the last commit does not wait, and is painted a whole frame later", async () => {
  const page = fakePage();
  page.law.request();
  page.step();
  page.law.request();
  const done = page.law.finish();
  equal(page.commits.length, 2);
  page.step();
  equal(page.paints.length, 0, "the frame that draws it does not know yet");
  page.step();
  await done;
  equal(page.paints.length, 1, "one paint for both commits");
});

test("a hidden tab gets its text without frames, stamps no paint, and says that it was hidden", async () => {
  const page = fakePage({ hidden: () => true });
  page.law.request();
  await page.law.finish();
  equal([page.commits.length, page.paints.length, page.law.wasHidden], [1, 0, true]);
});
