// @ts-check
/** Keeps the newest text in view as long as the reader has not scrolled away from it. */

const NEAR_PX = 48;

/** @param {HTMLElement} box that scrolls @returns {(force?: boolean) => void} to call after text was added */
export function followScroll(box) {
  let following = true;
  box.addEventListener("scroll", () => {
    following = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
  }, { passive: true });
  return (force = false) => {
    following ||= force;
    if (following) box.scrollTop = box.scrollHeight;
  };
}
