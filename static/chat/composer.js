// @ts-check
/** The form: Enter sends, Shift+Enter breaks the line, Esc stops, and the focus never falls off the page. */

const ROUTE_KEY = "streamscope.route";

/** @typedef {{form: HTMLFormElement, prompt: HTMLTextAreaElement, route: HTMLSelectElement, send: HTMLButtonElement, stop: HTMLButtonElement}} Parts */

export class Composer {
  #busy = false;

  /** @param {Parts} parts @param {{onsend: (prompt: string, route: string) => void, onstop: () => void}} hooks */
  constructor(parts, { onsend, onstop }) {
    this.parts = parts;
    const { form, prompt, route, stop } = parts;
    const kept = localStorage.getItem(ROUTE_KEY);
    if (kept && [...route.options].some((option) => option.value === kept)) route.value = kept;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#busy) onsend(prompt.value, route.value);
    });
    prompt.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.#busy) form.requestSubmit(parts.send);
    });
    route.addEventListener("change", () => localStorage.setItem(ROUTE_KEY, route.value));
    stop.addEventListener("click", onstop);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#busy) onstop();
    });
    this.busy = false;
  }

  /** @param {boolean} is an exchange runs */
  set busy(is) {
    const { send, stop, prompt } = this.parts;
    const hadFocus = document.activeElement === stop || document.activeElement === send;
    this.#busy = is;
    send.disabled = is;
    stop.disabled = !is;
    if (hadFocus) (is ? stop : prompt).focus();
  }

  /** @param {string} name of a route @param {string} text */
  suggest(name, text) {
    this.parts.route.value = name;
    if (!this.parts.prompt.value.trim()) this.parts.prompt.value = text;
    this.parts.prompt.focus();
  }

  /** Give back a prompt that could not be sent, selected, so that typing replaces it. @param {string} text */
  restore(text) {
    const { prompt } = this.parts;
    if (prompt.value) return;
    prompt.value = text;
    prompt.select();
  }

  clear() {
    this.parts.prompt.value = "";
  }
}
