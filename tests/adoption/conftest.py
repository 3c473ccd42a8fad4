"""The package as other projects meet it: built, installed from its wheel, beside other plugins, under other engines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support import PATIENCE, Bench
from tests.transports.conftest import serve as serve  # a fixture
from tests.transports.conftest import tools as tools  # a fixture

ROOT = Path(__file__).parents[2]
ENGINES = re.findall(
    r"^(?:PROPERDOCS|ZENSICAL) := (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
)
KERNEL = """\
#include <metal_stdlib>
kernel void add(device const float* a [[buffer(0)]],
                device float* out [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
\tout[i] = a[i] < 1 ? "{{ x }}" : '{% y %}';   // & so on

}
"""
LINES = KERNEL.splitlines()


def pip(python: Path, *arguments: str) -> None:
    """Run pip for *python* and show what it said when it fails."""
    command = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean())
    assert done.returncode == 0, done.stdout + done.stderr


def clean(**more: str) -> dict[str, str]:
    """Return the environment without what leads Python elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1", **more}


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel and the sdist, made by the build front end from what git has or would add."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        [*command, "mkdocs_metalworking", "tests", "*.md", "*.toml", "LICENSE", ".gitignore"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file() and not name.startswith("docs/"):
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
        check=False,
        env=clean(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arning" not in done.stdout + done.stderr
    return sorted(out.iterdir())


@pytest.fixture(scope="session")
def python(distributions: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    found = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wheel = next(path for path in distributions if path.suffix == ".whl")
    pip(found, "install", "--no-compile", "-c", str(ROOT / "constraints.txt"), str(wheel))
    return found


@pytest.fixture(scope="session")
def engines(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a module of another engine, installed beside the wheel's environment and not into it."""
    folder = tmp_path_factory.mktemp("engines")
    assert len(ENGINES) == 2
    pip(python, "install", "--no-compile", "--target", str(folder), *ENGINES)

    def run(cwd: Path, *command: str) -> subprocess.CompletedProcess[str]:
        return call(python, cwd, *command, PYTHONPATH=str(folder))

    return run


def call(python: Path, cwd: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a module in *cwd*; the Python of the tests keeps its own paths."""
    kept = {name: value for name, value in os.environ.items() if python == Path(sys.executable)}
    return subprocess.run(
        [str(python), "-m", *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**kept, **clean(**environment)},
        timeout=PATIENCE,
        check=False,
    )


@dataclass
class Project(Bench):
    """A site that quotes a repository: sources.yml, mkdocs.yml and pages, in a folder of its own."""

    @property
    def sha(self) -> str:
        return self.commits["acme/kernels"][:7]

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{k}", f"acme/kernels@{self.sha}"), encoding="utf-8")

    def html(self, page: str, site: str = "site") -> str:
        return (self.root / site / page).read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.add_repo("acme/kernels", {"src/add.metal": KERNEL})
    made.write([])
    return made


class _Code(HTMLParser):
    """Collects the lines of quoted code from any HTML that a browser would read the same, minified or not."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "span":
            if self._depth or "mw-l" in (values.get("class") or "").split():
                self._depth += 1
        elif tag == "a" and self._depth and values.get("data-n"):
            self.found.append((int(values["data-n"] or 0), ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self._depth:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth:
            number, text = self.found[-1]
            self.found[-1] = (number, text + data)


def code_of(html: str) -> list[tuple[int, str]]:
    """Return the number and text of every line of quoted code, as a reader copies it."""
    parser = _Code()
    parser.feed(html)
    parser.close()
    assert all(text.endswith("\n") for _, text in parser.found)
    return [(number, text[:-1]) for number, text in parser.found]


def quoted(first: int, last: int) -> list[tuple[int, str]]:
    """Return what ``code_of`` must find for lines *first* to *last* of the kernel."""
    return [(number, LINES[number - 1]) for number in range(first, last + 1)]
