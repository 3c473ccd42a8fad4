/* Brings in the module of each instrument that a page has. A page without one loads nothing more. */
const run = () =>
  document.querySelectorAll("[data-instrument]:not([data-on])").forEach(async (place) => {
    place.dataset.on = "";
    const name = place.dataset.instrument;
    if (/^[a-z-]+$/.test(name)) (await import(`./${name}.js`)).mount(place);
  });
window.document$ ? window.document$.subscribe(run) : run();
