"""What may be fed to each parser, and the rule that all keep: a result or a MetalworkingError that can be printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import markdown

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.glossary.callout import Callouts, read_front_matter
from mkdocs_metalworking.glossary.mapping import mapping_table
from mkdocs_metalworking.glossary.terms import Terms, read_rows
from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.citations import CITATION, parse_citation
from mkdocs_metalworking.quote.diagnostics import Diagnostic, MetalworkingError
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.lines import format_ranges, parse_ranges
from mkdocs_metalworking.quote.lock import Lock, load_lock
from mkdocs_metalworking.quote.permalinks import parse_permalink, permalink
from mkdocs_metalworking.quote.sources_file import load_sources
from tests.support import ASKED, EXTENSION_CONFIGS, EXTENSIONS

_CALLOUTS = Callouts.of(ASKED["callouts"], Path())

# Words of every grammar, and what has broken other parsers.
TOKENS = (
    "<< excerpt ",
    " >>",
    "<<",
    ">>",
    "o/n",
    "gitlab.com/o/n",
    "@",
    "a" * 40,
    "abcdef1",
    "main",
    ":",
    "a.c",
    '"a b.c"',
    "../",
    "#",
    "L1",
    "L1-2",
    "L0",
    "L5-",
    ",",
    "L999999999",
    "hl=",
    'title="x"',
    "dedent=auto",
    "first=",
    "collapse",
    "lang=metal",
    '"',
    "\\",
    "\n",
    "\n\n",
    "\r\n",
    "- L1: note\n",
    "> ",
    "    ",
    "\t",
    "- ",
    "1. ",
    "[@key]",
    "[@",
    "]",
    "[@o/n:a.c#L1, note]",
    "`",
    "```\n",
    "~~~\n",
    "<div markdown='1'>\n",
    "</div>\n",
    "<!--",
    "-->",
    "<script>",
    "!!! note\n",
    "??? note\n",
    '=== "tab"\n',
    "[^1]: ",
    "[^1]",
    "term\n:   ",
    "---\n",
    "...\n",
    "summary: x\n",
    "cuda:\n",
    "  term: t\n",
    "  verdict: none\n",
    "  modal: [a]\n",
    "  carries: |\n",
    "repositories:\n",
    "references:\n",
    "  - repo: o/n\n",
    "    commit: " + "a" * 40 + "\n",
    "    license: MIT\n",
    "  - key: k\n",
    "    title: T\n",
    "? ",
    "&a ",
    "*a ",
    "!!int ",
    "!!set ",
    "!!omap ",
    "!!binary ",
    "!!bool ",
    "!!python/object/apply:os.system ",
    "{",
    "}",
    "[",
    "- cuda: x\n",
    "  metal: y\n",
    "  source: key\n",
    "blob ",
    "archive ",
    "sha256:",
    "size:",
    "lines:",
    "<<<<<<< HEAD\n",
    "%00",
    "%2e%2e",
    "https://github.com/",
    "/blob/",
    "/-/",
    "http://[",
    "\x00",
    "\x02",
    "\x03",
    "\x02wzxhzdk:0\x03",
    "\x1b[31m",
    "\u202e",
    "\u2028",
    "\x85",
    "\x0c",
    "\ufeff",
    "\\ud800",
    '"\\ud800"',
    '"\\0"',
    "\U0001f469",
    "1" * 5000,
    "0x",
    "1e400",
    "190:20:30",
    "2026-01-01",
)
FILE = LockedFile.of(FileKey("o/n", "a" * 40, "a.c"), b"int a;\nint b;\nint c;\n")
SOURCES = (
    f"repositories:\n  - repo: o/n\n    commit: {'a' * 40}\n    license: MIT\nreferences:\n  - key: key\n    title: T\n"
    + "".join(f"  - {{key: c{i}, title: T{i}}}\n" for i in range(800))
)


def printable(found: list[Diagnostic]) -> None:
    """Check that every problem can be shown on a terminal and to a program."""
    for problem in found:
        assert problem.message
        assert str(problem).isprintable()
        json.dumps(problem.as_dict()).encode()


def _reading(parse: Callable[[str], object]) -> Callable[[str], None]:
    def read(text: str) -> None:
        try:
            parse(text)
        except MetalworkingError as problem:
            printable([problem.diagnostic])

    return read


def _directive(text: str) -> None:
    found = parse_directive(text)
    again = parse_directive(str(found))
    assert (again.repo, again.sha, again.path, again.ranges) == (found.repo, found.sha, found.path, found.ranges)


def _ranges(text: str) -> None:
    found = parse_ranges(text)
    assert parse_ranges(format_ranges(found)) == found


def _sources(text: str) -> None:
    _, problems = load_sources(text)
    printable(problems)


def _lock(text: str) -> None:
    lock, problems = load_lock(text)
    printable(problems)
    again, _ = load_lock(lock.format())
    assert again.files == lock.files
    assert again.archives == lock.archives


def _front(text: str) -> None:
    meta, problems = read_front_matter(text, "p.md", _CALLOUTS)
    printable(problems)
    meta.summary.encode()
    if meta.callout is not None:
        slugs = [slug for _, found in meta.callout.links for slug in found]
        "".join([meta.callout.term, *meta.callout.apis, *slugs, meta.callout.carries, meta.callout.misleads]).encode()


def _citation(text: str) -> None:
    for match in CITATION.finditer(text):
        try:
            parse_citation(match[0][2:-1])
        except MetalworkingError as problem:
            printable([problem.diagnostic])
    parse_citation(text)


def _permalink(text: str) -> None:
    found = parse_permalink(text)
    permalink(FileKey(found.repo, found.sha, found.path))


def _mapping(text: str) -> None:
    rows, problems = read_rows(Path("mapping.yml"), "mapping.yml", text)
    printable(problems)
    mapping_table(Terms(rows), lambda page: "")


class Pages:
    """Pages with the extension in a full set of others, and one locked file in a store."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sources.yml").write_text(SOURCES, encoding="utf-8")
        (folder / "sources.lock").write_text(Lock().with_entries([FILE]).format(), encoding="utf-8")
        Store(folder / "store").put(FILE, b"int a;\nint b;\nint c;\n")
        self._project = Project.load(Settings.of({"store": "store", "offline": True}, base=folder))
        assert not self._project.problems

    def __call__(self, text: str) -> None:
        """Convert *text*; nothing but HTML may come out, and problems that can be printed."""
        html, page = self.convert(text)
        html.encode()
        printable(list(page.diagnostics))
        assert "\x02" not in html

    def convert(self, text: str, *, late: bool = False) -> tuple[str, PageContext]:
        extension = MetalworkingExtension(project=self._project, citations=True, callouts=ASKED["callouts"])
        extension.page = page = PageContext(path="docs/page.md", source=text)
        extension.late = late
        md = markdown.Markdown(extensions=[*EXTENSIONS, extension], extension_configs=EXTENSION_CONFIGS)
        return md.convert(text), page

    def close(self) -> None:
        self._project.close()


PARSERS: dict[str, Callable[[str], None]] = {
    "directive": _reading(_directive),
    "ranges": _reading(_ranges),
    "sources": _reading(_sources),
    "lock": _reading(_lock),
    "front matter": _reading(_front),
    "citation": _reading(_citation),
    "permalink": _reading(_permalink),
    "mapping": _reading(_mapping),
}
