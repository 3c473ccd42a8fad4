/* Holds the search's index and worker back until it is used; runs before Material. */
(() => {
  const { open, send } = XMLHttpRequest.prototype;
  const Real = Worker;
  let held = [];
  const later = (run) => (held ? held.push(run) : run());
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.mwIndex = /\/search_index\.json$/.test(url);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (this.mwIndex) later(() => send.apply(this, body));
    else send.apply(this, body);
  };
  window.Worker = class extends EventTarget {
    constructor(...made) {
      super();
      let real;
      this.postMessage = (data) => later(() => real.postMessage(data));
      later(() => {
        real = new Real(...made);
        real.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent("message", { data }));
      });
    }
  };
  const release = () => {
    const waiting = held || [];
    held = null;
    for (const run of waiting) run();
  };
  const used = (event) => event.target.closest?.("[data-md-component=search],[for=__search],#__search") && release();
  for (const kind of ["focusin", "pointerdown", "change"]) document.addEventListener(kind, used, true);
  if (new URLSearchParams(location.search).has("q")) release();
})();
