/* A Copy button on every fence; excerpts have their own. */
import { labels, onPage } from "../metalworking/base.js";
import { button, told, write } from "../metalworking/copy.js";

document.addEventListener("click", async (event) => {
  const pressed = event.target.closest?.(".mw-copy-fence");
  if (!pressed) return;
  await write(pressed.parentElement.querySelector("pre>code").textContent.replace(/\n$/, ""));
  told(pressed);
});

onPage(() => {
  for (const fence of document.querySelectorAll("article .highlight")) {
    if (fence.querySelector(":scope>pre>code") && !fence.querySelector(".mw-copy-fence")) fence.append(button("mw-copy-fence", labels.copy));
  }
});
