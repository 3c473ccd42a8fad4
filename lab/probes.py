"""The probes as data: read, checked against their schema, and each case with what its probe sets for all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from lab.template import render

HERE = Path(__file__).parent
LADDER = HERE.parent / "ladder"
WGSL = HERE / "wgsl"
NAMES = ("case", "twin", "check", "features", "chip", "cited")  # what a case says of itself, and not to its kernel


@dataclass(frozen=True)
class Case:
    """One thing to measure; ``values`` are the probe's settings with the case's own over them."""

    probe: str
    name: str
    kind: str
    measure: str
    unit: str
    check: str
    lengthen: str
    fixed_grid: bool
    features: tuple[str, ...]
    values: dict[str, Any]

    def longer(self) -> dict[str, Any]:
        """Return the values of the longer kernel: what is lengthened, twice."""
        if self.lengthen == "n":
            return self.values
        return {**self.values, self.lengthen: 2 * self.values[self.lengthen]}

    def code(self, source: str, *, longer: bool) -> str:
        """Return this case's WGSL."""
        return render(source, self.longer() if longer else self.values)

    def work(self, threads: int) -> float:
        """Return what one trip of the loop adds when it is lengthened: operations, bytes, or steps of one thread."""
        step = self.values.get("STEPS", 1) * (self.values["EXTRA"] if self.lengthen == "EXTRA" else 1)
        if self.measure == "time":
            return float(step)
        if self.kind == "gemm":
            return float(self.values["edge"]) ** 3
        if self.values.get("per") == "grid":
            return float(self.values["bytes"] * (2 if self.values["entry"] == "copy_all" else 1))
        for factor in self.values["count"]:
            step *= self.values[factor] if isinstance(factor, str) else factor
        return float(step) * threads


def cases(probe: dict[str, Any]) -> list[Case]:
    """Return the cases of a probe, in order."""
    out = []
    for told in probe["cases"]:
        values = {"file": probe["file"], "count": probe.get("count", []), **probe["set"], **told}
        out.append(
            Case(
                probe=probe["id"],
                name=told["case"],
                kind=probe["kind"],
                measure=probe["measure"],
                unit=probe["unit"],
                check=told.get("check", probe["check"]),
                lengthen=told.get("lengthen", probe.get("lengthen", "STEPS")),
                fixed_grid=probe.get("fixed_grid", False),
                features=tuple(told.get("features", ())),
                values={key: value for key, value in values.items() if key not in NAMES},
            )
        )
    return out


def load() -> list[dict[str, Any]]:
    """Return the probes of probes.yml. Raises jsonschema.ValidationError where an entry breaks the schema."""
    told = yaml.safe_load((HERE / "probes.yml").read_text(encoding="utf-8"))
    schema = json.loads((HERE / "probe.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(told, schema)
    for probe in told:
        if probe["kind"] == "gemm":
            probe["cases"] = _rungs()
    return list(told)


def _rungs() -> list[dict[str, Any]]:
    """Return a case for each rung with a twin in WGSL. `tile` is what a workgroup covers of the grid's x and y."""
    rungs = yaml.safe_load((LADDER / "rungs.yml").read_text(encoding="utf-8"))
    made = []
    for rung in rungs:
        if not rung["wgsl"]:
            continue
        name = f"rung {rung['rung']}, {rung['name'].lower()}"
        told: dict[str, Any] = {
            "tile": [rung["x"][1], rung["y"][1]],
            "twin": ["ladder", f"rung_{rung['rung']}", "tflops"],
        }
        made.append({"case": name, "file": f"wgsl/{rung['file']}", **told})
        if rung["file"] == "3-register-grid":
            made.append({"case": f"{name}, written out", "file": "register-grid-unrolled", "GRID": 4, **told})
    return made


def sources(probes: list[dict[str, Any]]) -> dict[str, str]:
    """Return the WGSL of every file that *probes* name; `wgsl/NAME` is a file of the ladder."""
    names = sorted({case.values["file"] for probe in probes for case in cases(probe)})
    return {name: ((LADDER if "/" in name else WGSL) / f"{name}.wgsl").read_text(encoding="utf-8") for name in names}
