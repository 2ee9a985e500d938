// @ts-check
/** One array of bytes out of several. */

/** @param {Uint8Array[]} parts @returns {Uint8Array} the only part itself where there is just one */
export function joinBytes(parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
