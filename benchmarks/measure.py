"""Rows of the table, and how they are measured: in turns, on one machine, which is asked how busy it is."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sites import Corpus, Shape, write_limit, write_site

BOOK = Path(__file__).resolve().parents[1]
# As it runs for its users: with the bytecode of the package kept, and without a word about MkDocs 2.
ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENV["NO_MKDOCS_2_WARNING"] = "1"
MKDOCS = [sys.executable, "-m", "mkdocs"]
NOISY = 1.25
"""Wall time of plain computing by its processor time, above which other work decides what is measured."""


@dataclass
class Row:
    """One line of the table: *ours* beside *theirs*, samples of one unit; without *theirs* what counts is the time.

    ``goal`` is the largest ratio of the medians, or the largest median, that is good enough; None for no goal.
    """

    what: str
    against: str
    goal: float | None
    ours: Sequence[float]
    theirs: Sequence[float] = ()
    unit: str = "s"
    noise: float = 1.0
    """The worst that the machine was seen to be while this was measured."""

    @property
    def value(self) -> float:
        """The ratio of the medians, or the median."""
        middle = statistics.median(self.ours)
        return middle / statistics.median(self.theirs) if self.theirs else middle

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None when there is none."""
        return None if self.goal is None else self.value <= self.goal

    def cells(self) -> list[str]:
        """Return the cells of the table."""
        goal = (
            ""
            if self.goal is None
            else f"at most {self.goal:.2f}"
            if self.theirs
            else f"at most {self.goal:g} {self.unit}"
        )
        ratio = f"{self.value:.2f}" if self.theirs else ""
        return [self.what, self.against, goal, ratio, self._spread(self.ours), self._spread(self.theirs)]

    def _spread(self, samples: Sequence[float]) -> str:
        if not samples:
            return ""
        spread = f" ({min(samples):.3g} to {max(samples):.3g})" if len(samples) > 1 else ""
        return f"{statistics.median(samples):.3g} {self.unit}{spread}"


def noise() -> float:
    """Return how much longer than its processor time a short computation takes on every core this process may use."""
    program = (
        "import time\nw, c = time.perf_counter(), time.process_time()\nwhile time.process_time() - c < 0.15: pass\n"
    )
    program += "print((time.perf_counter() - w) / (time.process_time() - c))"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    runs = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(cores)]
    return max(float(run.communicate()[0]) for run in runs)


@dataclass
class Bench:
    """Where the sites are, and how large."""

    folder: Path
    shape: Shape
    repeats: int
    long: bool = False
    sites: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.corpus = Corpus(self.folder / "corpus", self.shape)
        self.corpus.commit_to(self.folder / "corpus")

    @property
    def small(self) -> bool:
        """Whether the sites are only there to see that everything runs."""
        return self.shape.pages < 30

    def site(self, way: str) -> Path:
        """Return the folder of the site that shows the corpus in one *way*."""
        if way not in self.sites:
            if way == "limit":
                self.run("metalworking")
                self.sites[way] = write_limit(self.site("metalworking"), self.site("none"), self.folder / way)
            else:
                self.sites[way] = write_site(self.corpus, self.folder / way, way)
        return self.sites[way]

    def run(self, way: str, *, cold: bool = False) -> float:
        """Return the seconds of one full build."""
        site = self.site(way)
        if cold:
            for path in self.folder.glob("store/highlight.sqlite*"):
                path.unlink()
        return seconds([*MKDOCS, "build", "-q"], site)

    def alternate(self, *runs: Callable[[], float], repeats: int = 0) -> list[list[float]]:
        """Run each in turn, *repeats* times, after one round that is thrown away."""
        for run in runs:
            run()
        samples: list[list[float]] = [[] for _ in runs]
        for _ in range(repeats or self.repeats):
            for run, kept in zip(runs, samples, strict=True):
                kept.append(run())
        return samples


def seconds(command: Sequence[str], folder: Path) -> float:
    """Return how long *command* takes in *folder*."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=ENV, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def processor_seconds(command: Sequence[str], folder: Path) -> float:
    """Return the processor time of *command* and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(command, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def copy_of_the_book(folder: Path) -> Path:
    """Return a copy of the book, to be written in; its clones are those of this repository."""
    shutil.copytree(BOOK / "docs", folder / "docs")
    for name in ("mkdocs.yml", "sources.yml", "sources.lock", "quantities.yml"):
        shutil.copy(BOOK / name, folder / name)
    for name in ("overrides", "mkdocs_metalworking"):
        (folder / name).symlink_to((BOOK / name).resolve())
    # Told, and no link: no repository is around the copy that could say whose that is.
    config = (folder / "mkdocs.yml").read_text(encoding="utf-8")
    told = config.replace("  metalworking:\n", f"  metalworking:\n    code: {(BOOK / 'code').resolve()}\n", 1)
    assert told != config
    (folder / "mkdocs.yml").write_text(told, encoding="utf-8")
    return folder
