"""``python -m prose PATHS``: print what breaks the house style, ``path:line: rule: message``. Exits 1 if anything does.

Run where ``mkdocs.yml`` is: its nav says which subjects have a page.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from .lint import lint
from .names import subjects

DOCS = Path("docs")


def main(arguments: list[str]) -> int:
    """Lint the Markdown files that *arguments* name or hold, and return the status to exit with: 2 if there is none."""
    paths = [Path(argument) for argument in arguments]
    pages = sorted({page for path in paths for page in (path.rglob("*.md") if path.is_dir() else [path])})
    if not pages or not all(page.is_file() for page in pages):
        print(f"no such page: {', '.join(str(page) for page in pages if not page.is_file()) or arguments}")
        return 2
    titles = subjects(Path("mkdocs.yml"))
    found: Counter[str] = Counter()
    for page in pages:
        # The names of subjects bind the chapters; what stands around the book explains itself.
        chapter = page.is_relative_to(DOCS) and page.relative_to(DOCS).as_posix() in titles.values()
        here = page.relative_to(DOCS).as_posix() if chapter else ""
        for hit in lint(page.read_text(encoding="utf-8"), here=here, titles=titles if chapter else {}):
            print(f"{page}:{hit.line}: {hit.rule}: {hit.message}")
            found[hit.rule] += 1
    if found:
        print(f"{found.total()} hits. The house style, with examples: docs/contributing/voice.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
