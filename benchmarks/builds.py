"""What a build costs: warm, the first one, its memory, under other engines, and with numbers that are quantities."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from benchmarks.measure import BOOK, ENV, Bench, Row, copy_of_the_book, processor_seconds, seconds
from benchmarks.sites import Shape
from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.quantities import Quantities
from mkdocs_metalworking.quote.quantity_mentions import (
    QUANTITY,
    SOURCED,
    fill_plain,
    read_quantity_mention,
    shown_quantity,
)

_PEAK = """
import sys; sys.argv = ["mkdocs", "build", "-q"]
from mkdocs.__main__ import cli
try: cli()
except SystemExit: pass
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def full_build(bench: Bench) -> Iterator[Row]:
    """Everything highlighted before, against no code at all, and against finished figures put in by a hook."""
    shape = bench.shape
    what = f"full build, {shape.pages} pages x {shape.excerpts} x {shape.lines} lines, all warm"
    bench.site("limit")
    ours, none, limit = bench.alternate(*(lambda way=way: bench.run(way) for way in ("metalworking", "none", "limit")))
    yield Row(what, "the same site with no code at all", 1.15, ours, none)
    yield Row(what, "the same figures, finished, put in by a hook", 1.08, ours, limit)


def cold_build(bench: Bench) -> Iterator[Row]:
    """Nothing highlighted before, against other ways to show the same code."""
    names: dict[str, tuple[str, float]] = {"fences": ("the same code pasted as fences", 0.35)}
    if bench.long:
        names["snippets"] = ("pymdownx.snippets with line ranges", 1.0)
        names["include"] = ("mkdocs-include-markdown", 1.0)
        names["codeinclude"] = ("mkdocs-codeinclude", 1.0)
    runs = [lambda way=way: bench.run(way) for way in names]
    ours, *theirs = bench.alternate(lambda: bench.run("metalworking", cold=True), *runs)
    for (against, goal), samples in zip(names.values(), theirs, strict=True):
        yield Row("the same, nothing highlighted yet", against, goal, ours, samples)


def _peak(site: Path) -> float:
    """Return the MiB that a build of *site* holds at most."""
    done = subprocess.run([sys.executable, "-c", _PEAK], cwd=site, env=ENV, check=True, capture_output=True)
    return int(done.stdout.split()[-1]) / 1024


def memory(bench: Bench) -> Iterator[Row]:
    """Peak memory against the same site without code; with ``--long`` for more pages too."""
    counts = [bench.shape.pages, *((1000, 3000) if bench.long else ())]
    for pages in counts:
        with tempfile.TemporaryDirectory() as folder:
            one, outside = bench, ""
            if pages != bench.shape.pages:
                one = Bench(Path(folder), Shape(pages=pages, listed=False), bench.repeats)
                outside = " outside the nav"
            sites = [one.site(way) for way in ("metalworking", "none")]
            ours, none = one.alternate(*(lambda site=site: _peak(site) for site in sites), repeats=1)
        what = f"peak memory of the build, {pages} pages{outside}"
        yield Row(what, "the same site without code", 1.30, ours, none, "MiB")


def engines(bench: Bench) -> Iterator[Row]:
    """The warm build under the other engines, each against the same site without code; what is installed of them."""
    binaries = Path(sys.executable).parent
    ours, none = bench.site("metalworking"), bench.site("none")
    bench.run("metalworking")
    if (engine := binaries / "properdocs").exists():
        command = [str(engine), "build", "-q", "-f", "mkdocs.yml"]
        samples = bench.alternate(*(lambda site=site: seconds(command, site) for site in (ours, none)))
        yield Row(
            f"full build by {_version('properdocs')}, all warm", "the same site with no code at all", None, *samples
        )
    if (engine := binaries / "zensical").exists():
        build = [str(engine), "build", "--clean"]
        staged = ours / "build" / "stage"

        def whole() -> float:
            stage = seconds([sys.executable, "-m", "mkdocs_metalworking", "stage", str(staged)], ours)
            return stage + seconds(build, staged)

        samples = bench.alternate(whole, lambda: seconds(build, none))
        yield Row(f"stage and build by {_version('zensical')}", "the same site with no code at all", None, *samples)


def _version(name: str) -> str:
    return f"{name} {metadata.version(name)}"


def numbers(bench: Bench) -> Iterator[Row]:
    """The book as it is against the same book with numbers and citations written by hand, no quantities.yml; CPU."""
    told = Project.load(Settings.of({"offline": True}, base=BOOK)).quantities
    folders = [copy_of_the_book(bench.folder / name) for name in ("book", "written")]
    for page in (folders[1] / "docs").rglob("*.md"):
        page.write_text(_by_hand(page.read_text(encoding="utf-8"), told), encoding="utf-8")
    (folders[1] / "quantities.yml").unlink()
    # As in the environment of the book, which has no numpy: Pint imports it where it is.
    program = "import sys; sys.modules['numpy'] = None; from mkdocs.__main__ import cli; cli()"
    command = [sys.executable, "-c", program, "build", "-q"]
    runs = (lambda folder=folder: processor_seconds(command, folder) for folder in folders)
    # Three builds of the book differ by more than what is looked for.
    ours, theirs = bench.alternate(*runs, repeats=bench.repeats if bench.small else max(bench.repeats, 9))
    what = f"build of the book, {len(told.by_key)} quantities, CPU time"
    yield Row(what, "the same book, numbers and citations by hand", 1.03, ours, theirs)


def _by_hand(page: str, told: Quantities) -> str:
    """Return a page as it is without quantities: each number written out, with the citations that it shows."""
    head, rule, body = page.partition("\n---\n") if page.startswith("---\n") else ("", "", page)

    def one(match: re.Match[str]) -> str:
        try:
            shown = shown_quantity(read_quantity_mention(match["inner"]), told)
        except MetalworkingError:  # one that a page shows as an example
            return match[0]
        cited = told.leaves(shown.quantity) if shown.form in SOURCED else ()
        return " ".join((shown.text, *(f"[@{source.cite}]" for leaf in cited for source in leaf.sources)))

    lines = (
        fill_plain(line, told)[0] if line.lstrip().startswith("<") else QUANTITY.sub(one, line)
        for line in body.split("\n")
    )
    return fill_plain(head, told)[0] + rule + "\n".join(lines)
