/* Holds Material's request for the index back until the search is used; runs before it. */
(() => {
  const { open, send } = XMLHttpRequest.prototype;
  let held = [];
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.mwIndex = /\/search\/search_index\.json$/.test(String(url).split("?")[0]);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (held && this.mwIndex) held.push(() => send.apply(this, body));
    else send.apply(this, body);
  };
  const release = () => {
    const waiting = held || [];
    held = null;
    for (const run of waiting) run();
  };
  const used = (event) => held && event.target.closest?.("[data-md-component=search],[for=__search],#__search") && release();
  for (const kind of ["focusin", "pointerdown", "change"]) document.addEventListener(kind, used, true);
  if (new URLSearchParams(location.search).has("q")) release();
})();
