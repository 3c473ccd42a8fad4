"""quantities.yml: numbers that more than one place tells, each with its unit, conditions and sources, told once.

A quantity has a value or a range from its sources, or a formula over others. What contradicts itself cannot be loaded:
units that do not agree, a source that says another number and is not declared a dispute, a cycle of formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from .amounts import DERIVED_DIGITS, digits_of, range_text
from .citations import Citation, parse_citation
from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .suggest import nearest
from .units import Units


@dataclass(frozen=True, slots=True)
class Evidence:
    """One source of a quantity. ``low`` and ``high`` are what it says, in the quantity's unit."""

    cite: str
    kind: str = ""
    note: str = ""
    read: str = ""
    low: float | None = None
    high: float | None = None
    line: int | None = None

    @property
    def citation(self) -> Citation:
        """The citation; raises MetalworkingError (``citation``) when it cannot be read."""
        citation = parse_citation(self.cite)
        note = ", ".join(part for part in (citation.note, self.note) if part)
        return replace(citation, note=note)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that was checked. ``low`` and ``high`` are equal where one value is given; *spread* may stand beside."""

    key: str
    low: float
    high: float
    unit: str = ""
    name: str = ""
    shown: str = ""
    spread: tuple[float, float] | None = None
    formula: str = ""
    inputs: tuple[str, ...] = ()
    digits: int | None = None
    bound: str = ""
    chip: str = ""
    os: str = ""
    method: str = ""
    kind: str = ""
    hint: bool = True
    """Whether prose with the same number may mean this one."""
    dispute: str = ""
    tolerance: float = 0.0
    sources: tuple[Evidence, ...] = ()
    line: int | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of evidence, the first source's first."""
        own = ("derived",) if self.formula else ()
        return tuple(dict.fromkeys(k for k in (*own, *(s.kind for s in self.sources), self.kind) if k))

    @property
    def conditions(self) -> str:
        """Chip, method and system, as one text."""
        return ", ".join(part for part in (self.chip, self.method, self.os) if part)

    def number(self, digits: int | None = None, factor: float = 1.0) -> str:
        """Return the number for people, in its unit over *factor*."""
        return self._shown((self.low, self.high), digits, factor, computed=bool(self.formula))

    def _shown(self, ends: tuple[float, float], digits: int | None, factor: float, *, computed: bool) -> str:
        digits = digits or self.digits
        low, high = ends if factor == 1.0 else (end / factor for end in ends)
        if digits is not None or (factor == 1.0 and not computed):
            return range_text(low, high, digits)
        # In another unit no digit is lost that was written: 12,345 bytes are 98,760 bits.
        written = () if computed else map(digits_of, ends)
        return range_text(low, high, max(DERIVED_DIGITS, *written, 0), exact=False)

    def text(self, digits: int | None = None, unit: str = "", factor: float = 1.0) -> str:
        """Return number and unit, with no break between them; a percent sign and ``x`` stand right behind."""
        return joined(self.number(digits, factor), unit or self.shown or self.unit)

    def spread_text(self, digits: int | None = None, factor: float = 1.0) -> str:
        """Return lowest and highest, when they stand beside the value."""
        if self.spread is None:
            return ""
        return self._shown(self.spread, digits, factor, computed=False)

    def about(self) -> str:
        """Return conditions, kind of evidence and dispute for people, as one text."""
        spread = f"{self.spread_text()} over runs" if self.spread else ""
        bound = f"{self.bound} this" if self.bound else ""
        first = "; ".join(
            part for part in (self.name, self.conditions, bound, spread, " and ".join(self.kinds)) if part
        )
        disputed = f"Disputed: {self.dispute}" if self.dispute else ""
        return ". ".join(part for part in (first, disputed) if part)


def joined(number: str, unit: str) -> str:
    """Return *number* and *unit* with a blank that does not break."""
    return number + (unit if unit in ("%", "x", "\u00d7", "\u00b0") else f"\u00a0{unit}" if unit else "")


@dataclass(frozen=True)
class Quantities:
    """All quantities of a site by key; ``path`` is "" where the site has no such file."""

    by_key: Mapping[str, Quantity] = field(default_factory=dict)
    path: str = ""
    units: Units = field(default_factory=Units, compare=False)
    failed: Mapping[str, Diagnostic] = field(default_factory=dict)
    """What is wrong with the quantities that are not among those by key, told again where one is asked for; under ""
    what is wrong with the file."""
    readers: tuple[str, ...] = ()
    """Files of the site, as glob patterns, that read quantities by their keys."""

    def __bool__(self) -> bool:
        return bool(self.path)

    def get(self, key: str) -> Quantity:
        """Return the quantity *key*; raises MetalworkingError (``quantity``), with the nearest key, for none."""
        found = self.by_key.get(key)
        if found is None and (wrong := self.failed.get(key) or self.failed.get("")) is not None:
            raise MetalworkingError(wrong.code, wrong.message, wrong.hint, wrong.location)
        if found is None:
            raise unknown(key, self.by_key, self.path)
        return found

    def factor(self, quantity: Quantity, unit: str) -> float:
        """Return what one *unit* is in the quantity's own. Raises MetalworkingError (``unit``)."""
        own, other = self.units.unit(quantity.unit), self.units.unit(unit)
        if own.dimension != other.dimension:
            raise MetalworkingError("unit", f"{quantity.key} is in {quantity.unit or 'no unit'}, not in {unit}", "")
        return other.factor / own.factor

    def leaves(self, quantity: Quantity) -> Iterator[Quantity]:
        """Yield the quantities with sources that a formula comes down to, each once; *quantity* itself first."""
        seen = {quantity.key}
        todo = [quantity]
        while todo:
            one = todo.pop()
            if one.sources:
                yield one
            more = [key for key in one.inputs if key not in seen]
            seen.update(more)
            todo.extend(self.by_key[key] for key in reversed(more) if key in self.by_key)

    def citations(self) -> Iterator[tuple[str, Evidence, Location]]:
        """Yield every source with the key of its quantity and its place."""
        for quantity in self.by_key.values():
            for source in quantity.sources:
                yield quantity.key, source, Location(self.path, source.line)

    def without(self, wrong: Mapping[str, Diagnostic]) -> Quantities:
        """Return the quantities that have nothing *wrong*, and need none that has."""
        if not wrong:
            return self
        failed = {**self.failed, **wrong}
        needed_by: dict[str, list[str]] = {}
        for one in self.by_key.values():
            for name in one.inputs:
                needed_by.setdefault(name, []).append(one.key)
        todo = list(wrong)
        while todo:
            name = todo.pop()
            for key in needed_by.get(name, ()):
                if key not in failed:
                    failed[key] = failed[name]
                    todo.append(key)
        return replace(self, by_key={k: v for k, v in self.by_key.items() if k not in failed}, failed=failed)

    def unused(self, used: Iterable[str]) -> list[Diagnostic]:
        """Return a hint for each quantity that neither a page nor a used formula names; *used* are the pages' keys."""
        reached = set(used) & set(self.by_key)
        todo = list(reached)
        while todo:
            for key in self.by_key[todo.pop()].inputs:
                if key not in reached:
                    reached.add(key)
                    todo.append(key)
        return [
            Diagnostic(
                Severity.HINT,
                "unused",
                f"nobody uses {q.key}",
                "take it out, or write it on a page",
                Location(self.path, q.line),
            )
            for q in self.by_key.values()
            if q.key not in reached
        ]


def unknown(key: str, known: Iterable[str], path: str, *, suggest: bool = True) -> MetalworkingError:
    """Return the problem of a *key* that is not there."""
    close = nearest(key, known) if suggest else ""
    shown = key if len(key) <= 60 else f"{key[:60]}…"
    return MetalworkingError("quantity", f"no quantity {shown!r} in {path}", f"did you mean {close}?" if close else "")
