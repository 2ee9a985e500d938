// @ts-check
/** Quantiles by linear interpolation, as everywhere in Streamscope. */

/** @param {number[]} values @param {number} q 0 to 1 @returns {number | null} null where there is no value */
export function quantile(values, q) {
  if (!values.length) return null;
  const sorted = Float64Array.from(values).sort();
  const rank = (sorted.length - 1) * q;
  const low = Math.floor(rank);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (rank - low);
}
