// @ts-check
/** The Worker's socket to `/ws/stamps/`: frames as JSON, kept while it is not open and given back if it fails. */

/** @typedef {Record<string, any>} Frame */

export class StampSocket {
  /** @type {Frame[]} */ #queue = [];
  #socket;
  failed = false;

  /** @param {string} url @param {{onopen: () => void, onframe: (frame: Frame) => void}} hooks */
  constructor(url, { onopen, onframe }) {
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => {
      onopen();
      this.#flush();
    };
    this.#socket.onmessage = ({ data }) => onframe(JSON.parse(data));
    this.#socket.onerror = this.#socket.onclose = () => {
      this.failed = true;
    };
  }

  get open() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** @param {Frame} frame sent before all that wait: the handshake's own frames */
  sendFirst(frame) {
    if (this.open) this.#socket.send(JSON.stringify(frame));
  }

  /** @param {Frame} frame */
  send(frame) {
    this.#queue.push(frame);
    this.#flush();
  }

  #flush() {
    while (this.open && this.#queue.length) this.#socket.send(JSON.stringify(this.#queue.shift()));
  }

  /** @returns {Frame[]} what could not be sent, in order; it is not kept any longer */
  takeUnsent() {
    return this.#queue.splice(0);
  }

  close() {
    this.#socket.close();
  }
}
