// @ts-check
/** The body of a response, read by read, each stamped the moment it came. */

/**
 * @param {Response} response
 * @param {() => number} now
 * @returns {AsyncGenerator<{t: number, bytes: Uint8Array}>}
 */
export async function* readStream(response, now) {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const t = now(); // before anything else is done with the bytes
      if (done) return;
      yield { t, bytes: value };
    }
  } finally {
    reader.cancel().catch(() => {}); // of no effect after the end; closes the connection if we leave early
  }
}
