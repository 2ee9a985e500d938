// @ts-check
/** Quantiles by linear interpolation, as everywhere in Streamscope. */

/** @param {ArrayLike<number>} values @param {number[]} ranks 0 to 1 @returns {(number | null)[]} nulls where there is no value */
export function quantiles(values, ranks) {
  const sorted = Float64Array.from(values).sort();
  return ranks.map((rank) => {
    if (!sorted.length) return null;
    const at = (sorted.length - 1) * rank;
    const low = Math.floor(at);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
  });
}
