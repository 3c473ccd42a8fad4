"""The floors that ``make lowest`` installs are those of the package, each with a version."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.floors import PROJECT, floors


def test_every_dependency_has_a_floor() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    done = subprocess.run(
        [sys.executable, "tests/floors.py", *extras], cwd=PROJECT.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(project["dependencies"]) + sum(map(len, extras.values()))
    assert "mkdocs-material==9.6" in done.stdout.splitlines()


def test_a_floor_is_read_and_its_lack_is_told() -> None:
    assert list(floors(["a-b[c]>=1.2,!=1.3.*", "d>=2"])) == ["a-b==1.2", "d==2"]
    with pytest.raises(ValueError, match="names no floor"):
        list(floors(["e<3"]))
