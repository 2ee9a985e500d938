// @ts-check
/** Pairs the rows of two lanes by byte offset: what one side had sent, and when the other side had all of it. */

/**
 * @typedef {[t: number, upto: number]} Row ms, bytes of the body by then
 * @typedef {{from: number, to: number, upto: number}} Pair both times in ms
 */

/** @param {Row[]} inner @param {Row[]} outer @returns {Pair[]} one a row of `inner` that `outer` has reached */
export function matchRows(inner, outer) {
  /** @type {Pair[]} */
  const pairs = [];
  let at = 0;
  for (const [from, upto] of inner) {
    while (at < outer.length && outer[at][1] < upto) at += 1;
    if (at === outer.length) break;
    pairs.push({ from, to: outer[at][0], upto });
  }
  return pairs;
}
