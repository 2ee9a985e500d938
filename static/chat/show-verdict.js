// @ts-check
/** The verdict beside an answer: the first bad hop on the way, what it does, and the findings with their fixes. */

import { element } from "./element.js";

/**
 * @typedef {{code: string, symptom: string, severity: string, hop: string, summary: string, cause?: string | null, fix?: string | null}} Finding
 * @typedef {{healthy: boolean | null, first_bad_hop: string | null, symptom: string | null, summary: string, needs?: string | null, confidence: string}} Verdict
 * @typedef {{captures: {hop: string, tap: string, outcome: string}[], findings: Finding[], verdict: Verdict}} Answer
 */

/** @param {Verdict} verdict @returns {[text: string, kind: string]} */
const headline = ({ healthy, first_bad_hop: hop, symptom }) => {
  if (healthy) return ["healthy", "healthy"];
  if (healthy === null) return ["cannot tell", "unknown"];
  return [`${hop ?? "some hop"}: ${symptom ?? "fault"}`, "bad"];
};

/** @param {Finding} finding */
const card = ({ code, severity, hop, summary, cause, fix }) =>
  element(
    "li",
    { class: `finding ${severity}` },
    element("span", { class: "badge" }, severity),
    element("code", {}, `${hop} · ${code}`),
    element("p", {}, summary),
    cause ? element("p", { class: "cause" }, element("b", {}, "Cause "), cause) : null,
    fix ? element("p", { class: "fix" }, element("b", {}, "Fix "), fix) : null,
  );

/** @param {Answer} answer @returns {HTMLElement} the hops inside out, the bad one marked */
const way = ({ captures, verdict }) => {
  const hops = [...new Set(captures.map((capture) => capture.hop))];
  const items = hops.map((hop) => element("li", hop === verdict.first_bad_hop ? { class: "bad" } : {}, hop));
  return element("ol", { class: "way", "aria-label": "Hops, from the engine outwards" }, ...items);
};

/** @param {Finding[]} findings @returns {HTMLElement[]} */
const list = (findings) => (findings.length ? [element("ul", { class: "findings" }, ...findings.map(card))] : []);

/** @param {Finding[]} notes @returns {HTMLElement[]} facts and echoes at outer hops, out of the way */
const folded = (notes) =>
  notes.length ? [element("details", {}, element("summary", {}, `${notes.length} more for information`), ...list(notes))] : [];

/** @param {import("./turn-view.js").TurnView} turn @param {string} exchange @param {Answer} answer */
export function showVerdict(turn, exchange, answer) {
  const { verdict, findings, captures } = answer;
  const [text, kind] = headline(verdict);
  const badge = turn.part("verdict");
  badge.textContent = text;
  badge.dataset.verdict = kind;
  turn.part("summary").textContent = [verdict.summary, verdict.needs && `needed: ${verdict.needs}`].filter(Boolean).join(" · ");
  const run = `/runs/${encodeURIComponent(exchange)}/`;
  const links = captures.map(({ hop, tap }) =>
    element("a", { href: `${run}captures/${encodeURIComponent(`${hop}.${tap}`)}.capture.jsonl`, download: "" }, `${hop}.${tap}`),
  );
  turn.part("evidence").replaceChildren(
    ...(captures.length > 1 ? [way(answer)] : []),
    ...list(findings.filter((finding) => finding.severity !== "info")),
    ...folded(findings.filter((finding) => finding.severity === "info")),
    element("p", { class: "links" }, element("a", { href: run }, "Run page"), " · captures: ", ...links.flatMap((a, i) => (i ? [", ", a] : [a]))),
  );
}
