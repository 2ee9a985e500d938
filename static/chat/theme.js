// @ts-check
/** Light or dark: what was chosen here, else what the system wants. Not a module: it must run before the first paint. */

(() => {
  const KEY = "streamscope.theme";
  const chosen = localStorage.getItem(KEY);
  if (chosen) document.documentElement.dataset.theme = chosen;
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("#theme")) return;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const theme = (document.documentElement.dataset.theme ?? system) === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEY, theme);
    document.dispatchEvent(new Event("themechange"));
  });
})();
