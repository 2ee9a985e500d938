// @ts-check
/** Asks the API for a run's answer when no verdict came by itself. */

const EVERY_MS = 500;

/**
 * @param {string} exchange
 * @param {{signal: AbortSignal, patience: number}} limits ms
 * @returns {Promise<import("./show-verdict.js").Answer | null>} null when there is none in time
 */
export async function awaitVerdict(exchange, { signal, patience }) {
  const until = performance.now() + patience;
  while (!signal.aborted && performance.now() < until) {
    const response = await fetch(`/api/runs/${encodeURIComponent(exchange)}`, { signal }).catch(() => null);
    const said = response?.status === 200 ? await response.json().catch(() => null) : null;
    if (said?.verdict) return said;
    if (response?.status === 404) return null; // 202 is what says that it is still being made
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return null;
}
