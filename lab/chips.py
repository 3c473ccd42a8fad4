"""The chips of the book, by name, with the fields that the Lab compares with; quantities.yml holds their numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mkdocs_metalworking.deliver.project import Project, Settings

ROOT = Path(__file__).resolve().parents[1]
FIELDS = {"cores": "cores", "bandwidth": "bandwidth_gbs", "clock": "clock_mhz", "fp32": "tflops_fp32"}
"""Field of a quantity's key to its name in the Lab; units as the names say, TFLOPS for the last."""


@cache
def chips() -> dict[str, dict[str, float]]:
    """Return each chip's numbers; a field without a source is left out."""
    project = Project.load(Settings.of({"offline": True}, base=ROOT))
    known = project.quantities.by_key
    project.close()
    found: dict[str, dict[str, float]] = {}
    for generation in range(1, 6):
        for tier in ("", " Pro", " Max", " Ultra"):
            name = f"M{generation}{tier}"
            key = name.lower().replace(" ", "-")
            if f"{key}.cores" in known:
                row = {label: known.get(f"{key}.{field}") for field, label in FIELDS.items()}
                found[name] = {label: one.low for label, one in row.items() if one is not None}
    return found
