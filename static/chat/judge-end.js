// @ts-check
/** How an exchange ended for the reader: done, truncated, stopped or failed, and the words for it. */

/**
 * @typedef {object} Seen
 * @property {"complete" | "cut" | "aborted"} how what the transport did
 * @property {boolean} terminator `[DONE]`, or Ollama's `done`
 * @property {string[]} finishes finish reasons
 * @property {string} error message of an error inside the stream
 */

const FINISHES = /** @type {Record<string, string>} */ ({
  length: "The token limit cut the answer short (finish reason length).",
  content_filter: "A content filter ended the answer.",
  error: "The engine ended the answer with an error.",
  abort: "The engine says that the answer was aborted.",
});

/** @param {Seen} seen @returns {{state: "done" | "truncated" | "stopped" | "failed", words: string}} */
export function judgeEnd({ how, terminator, finishes, error }) {
  if (how === "aborted") return { state: "stopped", words: "Stopped by you." };
  if (error) return { state: "failed", words: error };
  if (how === "cut" && !terminator) {
    return { state: "truncated", words: "The connection broke off before the end of the answer." };
  }
  if (!terminator && !finishes.length) {
    return { state: "truncated", words: "The stream ended with neither a finish reason nor its terminator." };
  }
  return { state: "done", words: finishes.map((reason) => FINISHES[reason]).find(Boolean) ?? "" };
}
