/* Excerpts, line notes, link previews and sortable tables. One listener each on the document, so that pages that
   arrive by instant navigation need nothing; what must be put into a page is put in when it arrives. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const root = new URL("../../", here);
  const VERDICTS = { transfers: "Transfers", resized: "Transfers, other numbers", unlearn: "Unlearn this", none: "No counterpart" };
  const make = (tag, cls, text) => {
    const el = document.createElement(tag);
    if (cls) el.className = cls;
    if (text !== undefined) el.textContent = text;
    return el;
  };
  let loading;
  const lookup = () =>
    (loading ||= fetch(new URL("lookup.json", here))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .catch(() => ((loading = null), { pages: {}, terms: [] })));
  const editing = (el) => el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName));
  const onPage = (run) => (window.document$ ? window.document$.subscribe(run) : run());

  /* Copy: the text of the lines, LF between them; marks give back the character they stand for. */
  const codeOf = (pre) =>
    [...pre.querySelectorAll(".mw-l")]
      .map((line) => {
        const copy = line.cloneNode(true);
        copy.querySelectorAll(".mw-ctl").forEach((mark) => mark.replaceWith(String.fromCodePoint(parseInt(mark.dataset.cp, 16))));
        return copy.textContent.replace(/\n$/, "");
      })
      .join("\n");
  const write = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  const addCopy = (figure) => {
    const caption = figure.querySelector(".mw-caption");
    if (!caption || caption.querySelector(".mw-copy") || !figure.querySelector(".mw-pre")) return;
    const button = make("button", "mw-copy", "Copy");
    button.type = "button";
    caption.append(button);
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.(".mw-copy");
    if (!button) return;
    await write(codeOf(button.closest("figure").querySelector(".mw-pre")));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });

  /* Line notes: a note lights its lines, a line lights its notes. */
  const numberOf = (line) => Number(line.firstElementChild?.dataset.n);
  const rangesOf = (note) => note.dataset.lines.split(" ").map((part) => part.split("-").map(Number));
  const holds = (ranges, first, last = first) => ranges.some(([a, b]) => a <= last && b >= first);
  let lit = null;
  const light = (figure, ranges) => {
    const key = figure && ranges.join();
    if (lit && (lit.figure !== figure || lit.key !== key)) lit.figure.querySelectorAll(".mw-on").forEach((el) => el.classList.remove("mw-on"));
    if (!figure) return (lit = null);
    lit = { figure, key };
    for (const line of figure.querySelectorAll(".mw-l")) {
      if (holds(ranges, numberOf(line))) line.classList.add("mw-on");
    }
    for (const note of figure.querySelectorAll(".mw-note[data-lines]")) {
      if (rangesOf(note).some(([a, b]) => holds(ranges, a, b))) note.classList.add("mw-on");
    }
  };
  const touched = (event) => {
    const target = event.target;
    const note = target.closest?.(".mw-note[data-lines]");
    const line = note ? null : target.closest?.(".mw-l");
    const figure = (note || line)?.closest("figure.mw-excerpt");
    if (!figure || !figure.querySelector(".mw-note")) return light(null);
    if (note) return light(figure, rangesOf(note));
    const n = numberOf(line);
    const noted = [...figure.querySelectorAll(".mw-note[data-lines]")].some((el) => holds(rangesOf(el), n));
    return noted ? light(figure, [[n, n]]) : light(null);
  };
  for (const type of ["pointerover", "focusin", "click"]) document.addEventListener(type, touched);

  /* A link to a line inside a closed excerpt opens it. */
  const reveal = () => {
    const target = location.hash.startsWith("#--") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details:not([open])");
    if (fold) {
      fold.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);

  /* Previews of links to pages of the book. */
  const tip = make("div", "mw-preview");
  tip.id = "mw-preview";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  let anchor = null;
  let timer = 0;
  const hide = () => {
    clearTimeout(timer);
    if (anchor) anchor.removeAttribute("aria-describedby");
    anchor = null;
    tip.hidden = true;
  };
  const pageOf = (link) => {
    const url = new URL(link.href, location.href);
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname) || url.pathname === location.pathname) return null;
    return url.pathname.slice(root.pathname.length).replace(/index\.html$/, "");
  };
  const linkAt = (event) => {
    const link = event.target.closest?.("article a[href]");
    return link && !link.closest(".mw-next,.mw-contents,.mw-az-jump,.headerlink") && pageOf(link) !== null ? link : null;
  };
  const show = async (link, touch) => {
    const { pages } = await lookup();
    const found = pages[pageOf(link)];
    if (!found || !link.isConnected) return false;
    hide();
    anchor = link;
    const [title, summary, term, verdict] = found;
    tip.className = `mw-preview${verdict ? ` mw-v-${verdict}` : ""}`;
    tip.replaceChildren(make("b", "", title));
    if (summary) tip.append(make("span", "", summary));
    if (term) {
      const line = make("span");
      line.append(make("span", "mw-verdict", VERDICTS[verdict]), make("i", "", `CUDA: ${term}`));
      line.lastChild.style.display = "inline";
      tip.append(line);
    }
    if (touch) tip.append(make("i", "", "Tap the link again to open the page."));
    (document.querySelector("main") || document.body).append(tip);
    tip.hidden = false;
    link.setAttribute("aria-describedby", tip.id);
    const box = link.getClientRects()[0] || link.getBoundingClientRect();
    const width = tip.offsetWidth;
    const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - width - 12));
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight || box.top < tip.offsetHeight + 60;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + scrollY}px`;
    return true;
  };
  const later = (run, wait) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
  let pointer = "mouse";
  document.addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = linkAt(event);
    if (link) {
      if (link === anchor) clearTimeout(timer);
      else later(() => show(link), 220);
    } else if (tip.contains(event.target)) clearTimeout(timer);
    else if (anchor !== document.activeElement) later(hide, 200);
  });
  document.addEventListener("focusin", (event) => {
    const link = linkAt(event);
    if (link && link.matches(":focus-visible") && pointer !== "touch") show(link);
    else if (anchor && !tip.contains(event.target)) hide();
  });
  document.addEventListener("keydown", (event) => {
    pointer = "key";
    if (event.key === "Escape") hide();
  });
  document.addEventListener(
    "click",
    (event) => {
      const link = linkAt(event);
      if (!link) return tip.contains(event.target) ? undefined : hide();
      if (pointer !== "touch" || link === anchor || event.metaKey || event.ctrlKey) return void setTimeout(hide);
      event.preventDefault();
      event.stopPropagation();
      const href = link.href;
      show(link, true).then((shown) => shown || location.assign(href));
    },
    true,
  );

  /* Sortable tables: numbers as numbers, the author's order a third click away. */
  const sortable = (table) => {
    const body = table.tBodies[0];
    if (!body || table.querySelector("th button")) return;
    const rows = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { undefined: "ascending", ascending: "descending", descending: "" }[head.getAttribute("aria-sort") ?? "undefined"];
        table.querySelectorAll("th[aria-sort]").forEach((el) => el.removeAttribute("aria-sort"));
        if (next) head.setAttribute("aria-sort", next);
        const value = (row) => row.cells[column]?.textContent.trim() ?? "";
        const number = (text) => (/^[-+~≈<>]?\s*[\d.,]+/.test(text) ? parseFloat(text.replace(/[^\d.eE-]/g, "")) : NaN);
        const compare = (a, b) => {
          const [x, y] = [number(value(a)), number(value(b))];
          return isNaN(x) || isNaN(y) ? value(a).localeCompare(value(b), undefined, { numeric: true }) : x - y;
        };
        const sorted = next ? [...rows].sort(compare) : rows;
        if (next === "descending") sorted.reverse();
        body.append(...sorted);
      });
    });
  };
  document.addEventListener("input", (event) => {
    if (!event.target.matches?.("[data-mw-filter]")) return;
    const holder = event.target.closest(".mw-mapping");
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const part of holder.querySelectorAll(".mw-sortable")) {
      let left = 0;
      for (const row of part.querySelectorAll("tbody tr")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) left++;
      }
      part.hidden = !left;
      const title = part.previousElementSibling;
      if (title && /^H\d$/.test(title.tagName)) title.hidden = !left;
      count += left;
    }
    holder.querySelector("output").textContent = `${count} ${count === 1 ? "row" : "rows"}`;
  });

  /* What scrolls sideways must be reachable by keyboard. */
  const reachable = () => {
    for (const el of document.querySelectorAll(".mw-diagram,article pre>code,.md-typeset__scrollwrap")) {
      if (el.scrollWidth > el.clientWidth + 1) el.tabIndex = 0;
    }
  };
  addEventListener("resize", () => requestAnimationFrame(reachable));

  onPage(() => {
    hide();
    light(null);
    document.querySelectorAll("figure.mw-excerpt").forEach(addCopy);
    document.querySelectorAll(".mw-sortable table").forEach(sortable);
    for (const link of document.querySelectorAll("article p a[href^=http]")) {
      if (new URL(link.href).origin !== root.origin && !link.closest(".mw-caption,.mw-cite")) link.classList.add("mw-out");
    }
    reachable();
    reveal();
  });
  window.metalworking = { lookup, root, make, editing, onPage, VERDICTS };
})();
