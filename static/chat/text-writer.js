// @ts-check
/** Appends streamed text to elements, in batches and only ever as text. */

const NODE_CHARS = 1024; // a text node is left alone once it is this long, so that long answers stay cheap

/** @typedef {import("./deltas.js").Piece} Piece */

/** Collects pieces until `commit`; `place` gives the element of a channel, made when it is first needed. */
export class TextWriter {
  /** @type {Map<string, {piece: Piece, texts: string[]}>} */ #pending = new Map();
  /** @type {Map<string, Element>} */ #places = new Map();

  /** @param {(piece: Piece) => Element} place */
  constructor(place) {
    this.place = place;
  }

  /** @param {Piece[]} pieces */
  take(pieces) {
    for (const piece of pieces) {
      const key = `${piece.choice}/${piece.part}`;
      const row = this.#pending.get(key) ?? { piece, texts: [] };
      row.texts.push(piece.text);
      this.#pending.set(key, row);
    }
  }

  commit() {
    for (const [key, { piece, texts }] of this.#pending) {
      const element = this.#places.get(key) ?? this.place(piece);
      this.#places.set(key, element);
      const text = texts.join("");
      const last = element.lastChild;
      if (last instanceof Text && last.length < NODE_CHARS) last.appendData(text);
      else element.append(text);
    }
    this.#pending.clear();
  }
}
