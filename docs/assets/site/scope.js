/* What Material's bundle expects to find: the root of the site, and a memory for each site under one host. */
(() => {
  "use strict";
  document.documentElement.classList.replace("no-js", "js"); // as Material does when all is there, and things move
  const root = new URL("../../", document.currentScript.src);
  const slot = (name, scope) => `${scope.pathname}.${name}`;
  window.__md_scope = root;
  window.__md_hash = (text) => [...text].reduce((sum, letter) => ((sum << 5) - sum + letter.charCodeAt(0)) | 0, 0);
  window.__md_get = (name, memory = localStorage, scope = root) => {
    try {
      return JSON.parse(memory.getItem(slot(name, scope)));
    } catch {
      return null; // forbidden, or damaged
    }
  };
  window.__md_set = (name, value, memory = localStorage, scope = root) => {
    try {
      memory.setItem(slot(name, scope), JSON.stringify(value));
    } catch {
      /* A full or forbidden memory: the choice lasts as long as the page. */
    }
  };
})();
