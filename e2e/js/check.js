// @ts-check
/** A very small test frame: `test` registers, `run` gives one row a test. */

/** @type {{name: string, body: () => unknown}[]} */
const tests = [];

/** @param {string} name a sentence about behaviour @param {() => unknown} body may be async; throws when it does not hold */
export const test = (name, body) => tests.push({ name, body });

/** @param {unknown} got @param {unknown} want @param {string} about */
export const equal = (got, want, about = "") => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) throw new Error(`${about}\n  got  ${a}\n  want ${b}`);
};

/** @param {unknown} holds @param {string} about */
export const ok = (holds, about) => {
  if (!holds) throw new Error(about);
};

/** @returns {Promise<{name: string, error: string}[]>} `error` empty where the test holds */
export async function run() {
  const rows = [];
  for (const { name, body } of tests) {
    const error = await Promise.resolve().then(body).then(() => "", (fault) => String(fault?.stack ?? fault));
    rows.push({ name, error });
  }
  return rows;
}
