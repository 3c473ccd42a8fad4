"""What README and pages tell people to type, typed: install lines in a checkout, and Hands-on without a GPU."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import blocks
from tests.support import NIGHT

ROOT = Path(__file__).resolve().parents[2]
TELLING = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/contributing/editors.md",
    *(f"docs/plugin/{name}.md" for name in ("index", "book", "quantities", "commands")),
]
HANDS_ON = (ROOT / "docs/hands-on.md").read_text(encoding="utf-8")
INSTALLS = {
    'pip install -e ".[quantities,cards]"',
    "pip install .",
    *(f'pip install ".[{extra}]"' for extra in ("book", "cards", "lsp", "mcp", "quantities")),
}


def copied(copy: Path) -> Path:
    """Copy the files that git knows to *copy*."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    if (ROOT / "code").exists():
        (copy / "code").symlink_to((ROOT / "code").resolve())
    return copy


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an environment of its own that sees what is installed here."""
    copy = copied(tmp_path_factory.mktemp("checkout"))
    shared = os.name != "nt" and importlib.util.find_spec("pip") is not None
    venv.create(copy / ".venv", with_pip=not shared, symlinks=os.name != "nt")
    own = next((copy / ".venv").rglob("site-packages"))
    (own / "zz_dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    if shared:  # of what is installed here, pip too: to make one takes longer than what it is asked for
        script = copy / ".venv/bin/pip"
        script.write_text(f'#!/bin/sh\nexec "{copy}/.venv/bin/python" -m pip "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return copy


def shell(checkout: Path, line: str, *, timeout: int = 900) -> str:
    """Run *line* as a person in the checkout does, the environment active. Returns what it printed."""
    path = f"{checkout / '.venv' / ('Scripts' if os.name == 'nt' else 'bin')}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", "VIRTUAL_ENV": str(checkout / ".venv")}
    env.pop("PYTHONPATH", None)
    done = subprocess.run(
        line, shell=True, cwd=checkout, env=env, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


def told() -> set[str]:
    """Return every install line of README and the pages that tell how to install."""
    return {
        line.strip("`")
        for name in TELLING
        for line in re.findall(r"^pip install .*$|`pip install [^`]*`", (ROOT / name).read_text(encoding="utf-8"), re.M)
    }


def test_these_are_all_the_install_lines() -> None:
    assert told() == INSTALLS


def test_every_extra_of_an_install_line_is_one_of_ours() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {extra for line in INSTALLS for found in re.findall(r"\[(.*)\]", line) for extra in found.split(",")}
    assert named == project["optional-dependencies"].keys()


BY_DAY = ['pip install -e ".[quantities,cards]"', "pip install ."]


@pytest.mark.parametrize("line", sorted(INSTALLS) if NIGHT else BY_DAY)
def test_an_install_line_works_in_a_checkout(checkout: Path, line: str) -> None:
    shell(checkout, line)
    python = checkout / ".venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = (
        "from importlib.metadata import distribution; print(distribution(sys.argv[1]).read_text('direct_url.json'))"
    )
    command = [python, "-I", "-c", f"import sys; {program}", "mkdocs-metalworking"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert told["url"] == checkout.as_uri(), "it is this checkout's, not the one that the tests run in"
    assert "version" in shell(checkout, "metalworking --version")


@pytest.mark.skipif(not NIGHT, reason="make nightly does it; by day others install and build")
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
def test_make_site_builds_the_book_with_nothing_installed(tmp_path: Path) -> None:
    fresh = copied(tmp_path)
    printed = shell(fresh, "make site")
    assert "Quoted " in printed
    assert (fresh / "site/what-survived/index.html").is_file()


def test_the_release_checklist_names_lines_that_are_there() -> None:
    table = (ROOT / "docs/contributing/releasing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (.*?) \| .* \|$", table, re.MULTILINE)
    assert len(rows) == 9
    for name, today in rows:
        lines = (ROOT / name).read_text(encoding="utf-8")
        for said in re.findall(r"`([^`]+)`", today):
            assert said in lines, f"{name}: {said}"
    of_installs = {name for name in TELLING if "pip install" in (ROOT / name).read_text(encoding="utf-8")}
    assert of_installs <= {name for name, _ in rows}, "an install line that the checklist forgets"


# Hands-on


def commands(title: str) -> list[str]:
    found = [block for block in blocks(HANDS_ON) if block.title == title]
    return [line for block in found for line in block.text.splitlines()]


def test_every_command_of_hands_on_is_for_a_mac_or_for_any_machine() -> None:
    assert {block.title for block in blocks(HANDS_ON) if block.lang == "sh"} == {"A Mac", "Any machine"}
    assert len(commands("Any machine")) == 6


@pytest.mark.skipif(os.name == "nt", reason="the page speaks of Linux and macOS")
@pytest.mark.parametrize("line", commands("Any machine"))
def test_what_runs_anywhere_runs(checkout: Path, line: str) -> None:
    if "ladder" in line and shutil.which("g++") is None:
        pytest.skip("no g++")
    if ("mlx[cpu]" in line or "quantization" in line) and importlib.util.find_spec("mlx") is None:
        pytest.skip("there is no wheel of mlx for this machine")
    if not NIGHT and "quantization" in line:
        pytest.skip("tests/benchmarks/test_quantization.py computes the same; make nightly types it")
    count = "83 passed"
    if not NIGHT and "ladder" in line:  # tests/ladder runs them
        line, count = f"{line} --collect-only", "83 tests collected"
    printed = shell(checkout, line)
    for said, of in ((count, "ladder"), ("nvfp4 with a global scale, sigma 0.02: 0.095", "quantization")):
        assert of not in line or said in printed
    assert "--list" not in line or "barrier" in printed


def pin(repo: str) -> str:
    entries = yaml.safe_load((ROOT / "sources.yml").read_text(encoding="utf-8"))["repositories"]
    return next(str(entry["commit"]) for entry in entries if entry["repo"] == repo)


def committed(repo: str, name: str) -> str:
    clone = ROOT / "code" / repo
    if not clone.exists():
        pytest.skip(f"{repo} is not under code/; fetch.sh clones it")
    folder = clone / ".git" if (clone / ".git").exists() else clone
    shown = subprocess.run(
        ["git", "--git-dir", folder, "show", f"{pin(repo)}:{name}"], capture_output=True, text=True, check=False
    )
    if shown.returncode:
        pytest.skip(f"{name} is not in the clone of {repo}")
    return shown.stdout


def test_what_a_mac_clones_is_at_the_commit_that_the_book_quotes() -> None:
    lines = commands("A Mac")
    cloned = [line.removeprefix("git clone https://github.com/") for line in lines if line.startswith("git clone")]
    assert cloned == ["abeleinin/Metal-Puzzles", "yaroslavvb/m5-gemm"]
    commits = [line.removeprefix("git checkout ") for line in lines if line.startswith("git checkout")]
    assert all(pin(repo).startswith(commit) for repo, commit in zip(cloned, commits, strict=True))
    runs = re.findall(r"\| `(?:VERBOSE=1 )?\.venv/bin/python ([^`]+)`", HANDS_ON)
    assert len(runs) == 4
    for run in runs:
        program, *options = run.split()
        text = committed(cloned[0] if program == "metal_puzzles.py" else cloned[1], program)
        assert all(f'"{option}"' in text for option in options if option.startswith("--")), run


def test_the_edit_for_a_small_mac_takes_the_last_size_away() -> None:
    (edit,) = [line for line in commands("A Mac") if line.startswith("sed")]
    pattern, new = re.findall(r"s/(.*)/(.*)/", edit)[0]
    text = committed("yaroslavvb/m5-gemm", "bandwidth.py")
    assert text.count(pattern) == 1
    assert f"sizes_gib = {[0.25, 0.5, 1.0, 2.0]}" in text.replace(pattern, new)


def test_so_many_lines_of_the_sweep_have_a_time() -> None:
    """A shape runs at 4096 if its edge divides 4096 and its slabs fit: one pair, or two when double-buffered."""
    text = committed("yaroslavvb/m5-gemm", "matmul.py")
    ranges = [eval(found) for found in re.findall(r"for (?:sw|st|tk) in (\([\d, ]+\))", text)]
    assert ranges == [(2, 3, 4), (2, 4, 8), (1, 2, 4, 8)]
    shapes = [(8 * st * sw, 8 * tk) for sw in ranges[0] for st in ranges[1] for tk in ranges[2]]
    dividing = [(edge, depth) for edge, depth in shapes if 4096 % edge == 0]
    fit = [sum(pairs * 2 * edge * depth * 4 <= 32 << 10 for edge, depth in dividing) for pairs in (1, 2)]
    assert (len(shapes), 2 * (len(shapes) - len(dividing)), fit) == (36, 24, [20, 15])
    assert "72 lines, the fastest first, at most 35 of them with a time" in HANDS_ON
    assert "24 of 72 lines" in HANDS_ON
    assert "35 fit 32 KB of threadgroup memory, 20 in the first kernel and 15 in the second" in HANDS_ON
