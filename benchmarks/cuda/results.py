"""What the probes found on the H200, read once in a process: the file is long."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("results.yml")


@functools.cache
def read() -> dict[str, Any]:
    """Return results.yml as data. It is shared, and nobody may change it."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, where it is there, takes a tenth of the time
    return dict(yaml.load(FILE.read_text(encoding="utf-8"), loader))  # both are safe
