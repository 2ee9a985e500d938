// @ts-check
/** The browser's clock: ms since the epoch, monotonic, the same in the page and in its Worker. */

/** @returns {number} */
export const now = () => performance.timeOrigin + performance.now();
