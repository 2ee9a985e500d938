// @ts-check
/** How fine the browser lets its clock be: 5 µs where the page is cross-origin isolated, else 100 µs or more. */

/** @param {() => number} clock ms @param {number} steps @returns {number} the smallest step seen, ms */
export function clockResolution(clock = () => performance.now(), steps = 10) {
  let smallest = Infinity;
  for (let seen = 0; seen < steps; seen++) {
    const before = clock();
    let after = before;
    while (after === before) after = clock();
    smallest = Math.min(smallest, after - before);
  }
  return smallest;
}
