// @ts-check
/** Makes an element; whatever text it gets is text, never markup. */

/**
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(string | Node | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}
