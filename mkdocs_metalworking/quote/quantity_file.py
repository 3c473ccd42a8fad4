"""Reading quantities.yml: the schema, then units, then formulas in the order of what they need, then the sources."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .amounts import agree, range_text
from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .formula import Formula, Number
from .quantities import Evidence, Quantities, Quantity, joined, unknown
from .units import Units, named
from .yamldoc import YamlDocument, load_yaml

_SUGGESTED = 20
"""Unknown keys that get a nearest one named; each is compared with all that there are."""


def load_quantities(text: str, path: str = "quantities.yml") -> tuple[Quantities, list[Diagnostic]]:
    """Read quantities.yml.

    Returns what could be read and every problem, each with file and line. Raises MetalworkingError for bad YAML.
    """
    document = load_yaml(text, path)
    problems = [*document.problems("quantities.schema.json"), *_misread(document)]
    units = Units()
    if problems:
        return Quantities({}, path, units, {"": problems[0]}), problems
    units = Units(document.data.get("counts") or (), document.data.get("units"))
    problems.extend(_redefined(document, units))
    if problems:
        return Quantities({}, path, units, {"": problems[0]}), problems
    reading = _Reading(document, units)
    reading.compute()
    quantities = {key: quantity for key, quantity in reading.quantities.items() if key not in reading.failed}
    problems = [*reading.problems, *(p for q in quantities.values() for p in _contradictions(q, document))]
    return Quantities(quantities, path, units, reading.failed, tuple(document.data.get("readers") or ())), problems


def _misread(document: YamlDocument) -> Iterator[Diagnostic]:
    """Yield each number that YAML reads as another one than is written."""
    for position, text in document.otherwise.items():
        message = f"YAML reads {text[:40]} as another number"
        yield Diagnostic(Severity.ERROR, "yaml", message, "write plain digits", document.location(*position))


def _redefined(document: YamlDocument, units: Units) -> Iterator[Diagnostic]:
    """Yield each name of ``counts`` and ``units`` that means something already."""
    for name in units.redefined:
        at = ("units", name) if name in units.more else ("counts", units.counts.index(name))
        where = document.location(*at)
        yield Diagnostic(Severity.ERROR, "unit", f"{name} is a unit already", "choose another name", where)


class _Reading:
    """One round over a file. ``failed`` has the problem of a key and of what depends on it, told once."""

    def __init__(self, document: YamlDocument, units: Units) -> None:
        self.problems: list[Diagnostic] = []
        self.failed: dict[str, Diagnostic] = {}
        self._document = document
        self._units = units
        self._suggested = 0
        self._day = document.data.get("read", "")
        self.quantities = {key: self._quantity(key, entry) for key, entry in document.data["quantities"].items()}
        self._formulas: dict[str, Formula] = {}
        self._values: dict[str, Number] = {}

    def _quantity(self, key: str, entry: dict[str, Any]) -> Quantity:
        fields = {k: v for k, v in entry.items() if k not in ("value", "range", "sources")}
        low, high = _ends(entry) or (0.0, 0.0)
        spread = tuple(entry["range"]) if "value" in entry and "range" in entry else None
        sources = tuple(
            Evidence(
                cite=source["cite"],
                kind=source.get("kind", entry.get("kind", "")),
                note=source.get("note", ""),
                read=source.get("read", self._day),
                low=(_ends(source) or (None, None))[0],
                high=(_ends(source) or (None, None))[1],
                line=self._document.location("quantities", key, "sources", index).line,
            )
            for index, source in enumerate(entry.get("sources", ()))
        )
        line = self._document.location("quantities", key).line
        return Quantity(key, low, high, spread=spread, sources=sources, line=line, **fields)

    def compute(self) -> None:
        for key, quantity in self.quantities.items():
            with_source = bool(quantity.sources or quantity.formula)
            if not with_source and quantity.kind != "derived":
                self._fail(key, MetalworkingError("quantity", f"{key} has no source", "add sources:, or kind: derived"))
                continue
            if not all(map(math.isfinite, (quantity.low, quantity.high, *(quantity.spread or ())))):
                self._fail(
                    key, MetalworkingError("quantity", f"the value of {key} is no number", "write digits"), "value"
                )
                continue
            if quantity.low > quantity.high or (quantity.spread and quantity.spread[0] > quantity.spread[1]):
                problem = MetalworkingError("quantity", f"the range of {key} is reversed", "write [lowest, highest]")
                self._fail(key, problem, "range")
                continue
            low, high = quantity.spread or (quantity.low, quantity.high)
            if not (low <= quantity.low and quantity.high <= high):
                problem = MetalworkingError(
                    "quantity", f"the value of {key} lies outside its range", "mend one of them"
                )
                self._fail(key, problem, "range")
                continue
            try:
                unit = self._units.unit(quantity.unit)
            except MetalworkingError as problem:
                self._fail(key, problem, "unit")
                continue
            if quantity.formula:
                self._read_formula(key, quantity)
            else:
                low, high = sorted((quantity.low * unit.factor, quantity.high * unit.factor))
                self._values[key] = Number(low, high, unit.dimension)
        for key in self._order():
            self._evaluate(key)

    def _read_formula(self, key: str, quantity: Quantity) -> None:
        try:
            formula = Formula(quantity.formula, self._units.unit)
            for name in sorted(formula.keys):
                if name not in self.quantities:
                    self._suggested += 1
                    near = self._suggested <= _SUGGESTED
                    raise unknown(name, self.quantities, self._document.path, suggest=near)
        except MetalworkingError as problem:
            self._fail(key, problem, "formula")
            return
        self._formulas[key] = formula
        self.quantities[key] = replace(quantity, inputs=tuple(sorted(formula.keys)))

    def _order(self) -> list[str]:
        """Return the keys of the formulas, each behind what it needs; one cycle is told, what it blocks has failed."""
        graph = {key: {name for name in f.keys if name in self._formulas} for key, f in self._formulas.items()}
        sorter = TopologicalSorter(graph)
        try:
            sorter.prepare()
        except CycleError as error:
            self._cycle(list(dict.fromkeys(error.args[1])))
        order: list[str] = []
        while ready := sorter.get_ready():
            order.extend(ready)
            sorter.done(*ready)
        for key in graph.keys() - set(order):
            self.failed.setdefault(key, self.problems[-1])
        return order

    def _cycle(self, ring: list[str]) -> None:
        first = min(ring, key=lambda key: self.quantities[key].line or 0)
        at = ring.index(first)
        ring = [*ring[at:], *ring[:at], first][::-1]  # each is now before what it needs
        shown = " needs ".join(ring if len(ring) <= 6 else [*ring[:4], "…", first])
        self._fail(first, MetalworkingError("formula", f"a cycle: {shown}", "give one of them a value"), "formula")

    def _evaluate(self, key: str) -> None:
        formula, quantity = self._formulas[key], self.quantities[key]
        if (wrong := next((name for name in sorted(formula.keys) if name in self.failed), None)) is not None:
            self.failed[key] = self.failed[wrong]
            return
        try:
            value = formula.evaluate(self._values.__getitem__)
            unit = self._units.unit(quantity.unit)
            if value.dimension != unit.dimension:
                raise MetalworkingError(
                    "formula",
                    f"units do not agree: {quantity.formula} is {named(value.dimension)}, "
                    f"and {quantity.unit or 'no unit'} is {named(unit.dimension)}",
                    "mend unit: or the formula",
                )
        except MetalworkingError as problem:
            self._fail(key, problem, "formula")
            return
        self._values[key] = value
        low, high = value.per(unit)
        self.quantities[key] = replace(quantity, low=low, high=high)

    def _fail(self, key: str, problem: MetalworkingError, *at: str) -> None:
        self.failed[key] = problem.diagnostic.at(self._document.location("quantities", key, *at))
        self.problems.append(self.failed[key])


def _ends(entry: dict[str, Any]) -> tuple[float, float] | None:
    if "value" in entry:
        return entry["value"], entry["value"]
    return tuple(entry["range"]) if "range" in entry else None


def _contradictions(quantity: Quantity, document: YamlDocument) -> Iterator[Diagnostic]:
    """Yield each source that says another number than the quantity, unless the quantity declares a dispute."""
    if quantity.dispute:
        return
    for index, source in enumerate(quantity.sources):
        if source.low is None or source.high is None:
            continue
        ends = ((source.low, quantity.low), (source.high, quantity.high))
        if all(agree(said, value, quantity.tolerance) for said, value in ends):
            continue
        says = joined(range_text(source.low, source.high), quantity.shown or quantity.unit)
        where = document.location("quantities", quantity.key, "sources", index)
        how = f"its formula gives {quantity.text(5)}" if quantity.formula else f"here it is {quantity.text()}"
        within = f", beyond {quantity.tolerance * 100:g}%" if quantity.tolerance else ""
        yield Diagnostic(
            Severity.ERROR,
            "contradiction",
            f"{quantity.key}: {source.cite} says {says}, {how}{within}".replace("\u00a0", " "),
            "mend one of them, or say why under dispute:",
            where if where.line else Location(document.path, quantity.line),
        )
