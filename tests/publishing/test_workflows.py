"""The workflows: actions at full commits, no more rights than needed, every Python that the package promises."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def load(path: Path) -> dict[str, Any]:
    # YAML 1.1 reads the key "on" as true; BaseLoader leaves it.
    return dict(yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader))


def test_there_are_three() -> None:
    assert [path.stem for path in WORKFLOWS] == ["check", "publish", "test"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    uses = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert uses
    for one in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_the_same_action_is_at_the_same_commit_everywhere() -> None:
    found: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for name, rest in re.findall(r"uses: ([^@\s]+)@(.*)", path.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(rest)
    assert {name: len(pins) for name, pins in found.items()} == dict.fromkeys(found, 1)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_rights(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == ({"contents": "write"} if name == "publish" else None)
        assert "timeout-minutes" in job
        steps = [step for step in job["steps"] if "checkout@" in step.get("uses", "")]
        if name != "publish":
            assert [step["with"]["persist-credentials"] for step in steps] == ["false"]
    assert "pull_request_target" not in path.read_text(encoding="utf-8")
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_every_promised_python_and_system_is_tested() -> None:
    matrix = load(ROOT / ".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = [c.rsplit(" ", 1)[1] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert set(promised) <= set(matrix["python"])
    assert matrix["python"][0] == project["requires-python"].removeprefix(">=")
    systems = {*matrix["os"], *(one["os"] for one in matrix["include"])}
    assert systems == {"ubuntu-latest", "macos-latest", "windows-latest"}


def test_the_store_is_kept_between_runs() -> None:
    text = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    workflow = load(ROOT / ".github/workflows/publish.yml")
    assert workflow["env"]["METALWORKING_STORE"] == "${{ github.workspace }}/.cache/metalworking"
    cache = next(s for s in workflow["jobs"]["publish"]["steps"] if "cache@" in s.get("uses", ""))
    assert cache["with"]["path"] == ".cache/metalworking"
    assert "hashFiles('sources.lock')" in cache["with"]["key"]
    assert text.rstrip().endswith("mkdocs gh-deploy --strict")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")
@pytest.mark.parametrize(
    ("engine", "command"),
    [
        ("mkdocs", "bin/mkdocs build"),
        ("properdocs", "bin/properdocs build -f mkdocs.yml"),
        ("zensical", "bin/metalworking stage build/zensical"),
    ],
)
def test_make_site_by_each_engine(engine: str, command: str) -> None:
    done = subprocess.run(
        ["make", "-n", "site", f"ENGINE={engine}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert any(line.endswith(command) for line in lines)
