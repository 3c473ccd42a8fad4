"""How long a keystroke in the lookup takes in Chromium, slowed down: ``python -m benchmarks.keystrokes SITE``.

SITE is a built book. Ten thousand keystrokes are typed: names of the table letter by letter, each second one with two
letters swapped. Each is timed from the event to the laid-out list. What counts is the slowest beside a frame of 16 ms;
run it on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.static import static_site

TYPE = """async ([base, strokes]) => {
  const { rowsOf, work } = await import(base + "assets/metalworking/lookup-find.js");
  const { ask } = await import(base + "assets/metalworking/lookup.js");
  const rows = rowsOf(await (await fetch(base + "assets/metalworking/lookup.json")).json());
  const names = rows.flatMap((row) => row.names.map((name) => name.raw)).filter((name) => name.length > 3);
  ask();
  const input = document.activeElement;
  const list = document.getElementById(input.getAttribute("aria-controls"));
  /* What a keystroke starts: the search, the new list, its layout. All of it is microtasks of one task, once the data
     is there. */
  const press = async (text) => {
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    for (let hop = 0; hop < 5; hop++) await null;
    return list.offsetHeight;
  };
  while (!(await press("warp"))) await new Promise((next) => setTimeout(next, 20));
  const times = [];
  let cells = 0;
  let shown = 0;
  for (let n = 0; times.length < strokes; n++) {
    const name = names[(n * 997) % names.length];
    const typed = n % 2 ? name : name.slice(0, 2) + name[3] + name[2] + name.slice(4);
    for (let length = 1; length <= typed.length && times.length < strokes; length++) {
      const before = work.cells;
      const start = performance.now();
      const height = await press(typed.slice(0, length));
      times.push(performance.now() - start);
      cells = Math.max(cells, work.cells - before);
      shown += height > 0;
    }
    await new Promise((next) => setTimeout(next));
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))];
  const over = times.filter((time) => time > 16).length;
  return { strokes: times.length, shown, median: at(0.5), p99: at(0.99), slowest: at(1), over, cells };
}"""


def measure(site: Path, chromium: str, *, slower: float, strokes: int) -> dict[str, float]:
    """Return milliseconds per keystroke (``median``, ``p99``, ``slowest``) and how many were ``over`` 16.

    ``shown`` is how many left a list on the page, ``cells`` the most cells of a table of edits for one.
    """
    with static_site(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        page = browser.new_page()
        page.goto(base)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        found: dict[str, float] = page.evaluate(TYPE, [base, strokes])
        browser.close()
    return found


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--slower", type=float, default=4)
    parser.add_argument("--strokes", type=int, default=10_000)
    given = parser.parse_args()
    print(json.dumps(measure(given.site, given.chromium, slower=given.slower, strokes=given.strokes), indent=1))


if __name__ == "__main__":
    main()
