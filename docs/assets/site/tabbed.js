/* A link to a content tab opens it. */
(() => {
  "use strict";
  const target = document.getElementById(location.hash.slice(1));
  if (target?.name) target.checked = target.name.startsWith("__tabbed_");
})();
