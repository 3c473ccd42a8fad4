/* The colours that the reader chose, and the switch to others, before anything is drawn. */
(() => {
  "use strict";
  const kept = window.__md_get("__palette");
  const inputs = [...document.querySelectorAll("[data-md-component=palette]>input")];
  const at = kept?.index ?? inputs.findIndex((input) => matchMedia(input.dataset.mdColorMedia).matches);
  inputs[Math.max(0, at)]?.nextElementSibling?.removeAttribute("hidden");
  if (!kept?.color) return;
  const color = kept.color;
  if (color.media === "(prefers-color-scheme)") {
    const wanted = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
    const input = document.querySelector(`[data-md-color-media='(prefers-color-scheme: ${wanted})']`);
    for (const name of ["media", "scheme", "primary", "accent"]) color[name] = input.getAttribute(`data-md-color-${name}`);
  }
  for (const [name, value] of Object.entries(color)) document.body.setAttribute(`data-md-color-${name}`, value);
})();
