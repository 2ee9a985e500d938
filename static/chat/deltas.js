// @ts-check
/** What one event of a chat stream says: OpenAI chunks, FastGPT's named events, Ollama records. */

/**
 * @typedef {{choice: number, part: string, text: string}} Piece `part`: content, reasoning or tool:N
 * @typedef {object} Delta
 * @property {string} kind role, empty, text, reasoning, tool, finish, usage, error, terminator, note or unknown
 * @property {Piece[]} pieces
 * @property {{choice: number, reason: string}[]} finishes
 * @property {string} error message of an error that travels in the stream, else ""
 * @property {boolean} terminator
 * @property {string} note something worth showing that is no answer: a node that runs, a question back
 */

/** @param {unknown} value @returns {any} */
const object = (value) => (value && typeof value === "object" ? value : {});

/** @param {unknown} value text, or a list of `{text}` parts @returns {string} */
const textOf = (value) => {
  if (Array.isArray(value)) return value.map((part) => textOf(object(part).text)).join("");
  return typeof value === "string" ? value : "";
};

/** @param {any} error @returns {string} */
const messageOf = (error) =>
  textOf(error) || textOf(object(error).message) || textOf(object(error).statusText) || JSON.stringify(error);

/** @param {any[]} calls @param {number} choice @returns {Piece[]} */
const toolPieces = (calls, choice) =>
  calls.map((call, at) => {
    const { name = "", arguments: args = "" } = object(object(call).function);
    const body = typeof args === "string" ? args : JSON.stringify(args);
    return { choice, part: `tool:${object(call).index ?? at}`, text: name ? `${name} ${body}` : body };
  });

/** @param {any} says a delta or a message @param {number} choice @returns {Piece[]} */
const piecesOf = (says, choice) =>
  [
    // one of the three names, not each: some servers send a text under two of them
    { choice, part: "reasoning", text: textOf(says.reasoning) || textOf(says.reasoning_content) || textOf(says.thinking) },
    { choice, part: "content", text: textOf(says.content) || textOf(says.refusal) },
    ...toolPieces(Array.isArray(says.tool_calls) ? says.tool_calls : [], choice),
  ].filter((piece) => piece.text);

/** @param {any} chunk @param {Delta} delta */
const readChunk = (chunk, delta) => {
  for (const choice of chunk.choices) {
    const index = object(choice).index ?? 0;
    const says = object(choice?.delta ?? choice?.message ?? { content: choice?.text });
    delta.pieces.push(...piecesOf(says, index));
    if (choice?.finish_reason) delta.finishes.push({ choice: index, reason: String(choice.finish_reason) });
    if (says.role && delta.kind === "empty") delta.kind = "role";
  }
  if (!chunk.choices.length && chunk.usage) delta.kind = "usage";
};

/** @param {any} record @param {Delta} delta */
const readOllama = (record, delta) => {
  delta.pieces.push(...piecesOf(object(record.message ?? { content: record.response }), 0));
  if (!record.done) return;
  delta.terminator = true;
  delta.finishes.push({ choice: 0, reason: record.done_reason ?? "stop" });
};

/** @param {string} type @param {any} json @param {Delta} delta */
const readNamed = (type, json, delta) => {
  const tool = object(json.tool);
  const text = {
    toolCall: `${tool.functionName ?? tool.toolName ?? ""} ${textOf(tool.params)}`,
    toolParams: textOf(tool.params),
    toolResponse: ` → ${textOf(tool.response)}`,
  }[type];
  if (text?.trim()) delta.pieces.push({ choice: 0, part: `tool:${tool.id ?? 0}`, text });
  else if (type === "flowNodeStatus") delta.note = textOf(json.name);
  else if (type === "interactive") delta.note = textOf(object(object(json.interactive).params).description) || "The app asks back.";
  else delta.kind = "unknown";
};

/** @param {{type: string, data: string}} event @returns {Delta} */
export function readDelta({ type, data }) {
  /** @type {Delta} */
  const delta = { kind: "empty", pieces: [], finishes: [], error: "", terminator: false, note: "" };
  if (data.trim() === "[DONE]") return { ...delta, kind: "terminator", terminator: true };
  let json;
  try {
    json = object(JSON.parse(data));
  } catch {
    return { ...delta, kind: "unknown" };
  }
  if (type === "error" || json.error) return { ...delta, kind: "error", error: messageOf(json.error ?? json) };
  if (Array.isArray(json.choices)) readChunk(json, delta);
  else if (type === "record") readOllama(json, delta);
  else readNamed(type, json, delta);
  const part = delta.pieces.at(-1)?.part.split(":")[0];
  if (part) delta.kind = part === "content" ? "text" : part;
  else if (delta.terminator) delta.kind = "terminator";
  else if (delta.finishes.length) delta.kind = "finish";
  else if (delta.note) delta.kind = "note";
  return delta;
}
