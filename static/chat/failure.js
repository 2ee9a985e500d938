// @ts-check
/** A refused exchange in one sentence: what happened, where, what to do. */

/** @typedef {{what: string, where: string, do: string, ours: boolean}} Failure `ours`: refused before any upstream was asked */

const LONGEST = 400;

/** @param {unknown} value @returns {string} */
const short = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/**
 * @param {number} status @param {string} contentType @param {string} text the body
 * @returns {Failure} ours as it is; an upstream's own refusal by its status and message
 */
export function failureOf(status, contentType, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  if (typeof body?.what === "string") return { what: body.what, where: body.where ?? "", do: body.do ?? "", ours: status < 500 };
  const says = body?.error?.message ?? body?.error ?? body?.message ?? body?.detail ?? "";
  const isPage = /html/i.test(contentType) || text.trimStart().startsWith("<");
  return {
    what: says ? short(says) : isPage ? "The answer is an HTML page." : short(text.trim() || "The answer is empty."),
    where: `HTTP ${status} from upstream`,
    do: {
      401: "Check the key that the route's api_key_env names.",
      403: "Check the key and what it may ask.",
      404: "Check the hop's URL and the model's name.",
      429: "Wait, or ask the gateway's owner for a higher limit.",
    }[status] ?? "Look into that hop's log.",
    ours: false,
  };
}
