"""Units of quantities, read by Pint: each becomes a factor and a dimension, and all arithmetic is done on those.

What is counted (threads, cores, tokens) has no dimension, as in the SI; information has one of its own, so that bytes
and seconds, or bytes and threads, cannot be mixed up.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .diagnostics import MetalworkingError

Dimension = frozenset[tuple[str, float]]
"""Base dimensions and their exponents; empty for a plain number."""

NONE: Dimension = frozenset()
_PREFIXES = (
    "quecto=q=-30 ronto=r=-27 yocto=y=-24 zepto=z=-21 atto=a=-18 femto=f=-15 pico=p=-12 nano=n=-9 micro=µ=-6 "
    "milli=m=-3 centi=c=-2 deci=d=-1 deca=da=1 hecto=h=2 kilo=k=3 mega=M=6 giga=G=9 tera=T=12 peta=P=15 "
    "exa=E=18 zetta=Z=21 yotta=Y=24 ronna=R=27 quetta=Q=30"
)
_BINARY = "kibi=Ki mebi=Mi gibi=Gi tebi=Ti pebi=Pi exbi=Ei"
_BASE = (
    "meter=[length]=m=metre second=[time]=s=sec gram=[mass]=g ampere=[current]=A kelvin=[temperature]=K "
    "mole=[substance]=mol candela=[luminosity]=cd bit=[information]=_ radian=1=rad cycle=1=_=clock count=1 "
    "FLOP=1 instruction=1 times=1 percent=0.01=% minute=60*second=min hour=3600*second=h "
    "day=86400*second=d byte=8*bit=B=octet FLOPS=FLOP/second hertz=1/second=Hz "
    "newton=kilogram*meter/second**2=N pascal=newton/meter**2=Pa joule=newton*meter=J watt=joule/second=W "
    "coulomb=ampere*second=C volt=watt/ampere=V ohm=volt/ampere=Ω farad=coulomb/volt=F henry=volt*second/ampere=H "
    "tesla=volt*second/meter**2=T liter=0.001*meter**3=L tonne=1000*kilogram=t"
)
"""Small on purpose: Pint's own file takes a tenth of a second to load, and there a cycle is an angle, a bit nothing."""
_UNPREFIXED = frozenset({"minute", "hour", "day", "tonne", "percent"})
_ONLY_MORE = frozenset({"bit", "byte", "count", "cycle"})
_ONLY_LESS = frozenset({"tesla"})
"""Units that have no prefix, none that divides, and none that multiplies: ft would be femto-tonnes, yd yocto-days, dB a
tenth of a byte, GT/s giga-teslas."""
_LESS = frozenset(one.split("=")[0] for one in _PREFIXES.split() if "=-" in one)
_UNIT = re.compile(r"[^\W\d_%][^\W_]*(?:\^-?[1-9])?(?:\s?[*/]\s?[^\W\d_][^\W_]*(?:\^-?[1-9])?){0,5}|%|1/[^\W\d_]+")
_USUAL = ("GB", "KiB", "MiB", "TFLOPS", "ns", "MHz")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: *factor* of it makes the base unit of its *dimension*."""

    factor: float = 1.0
    dimension: Dimension = NONE


def product(left: Dimension, right: Dimension, sign: int = 1) -> Dimension:
    """Return the dimension of left times right, or of left over right when *sign* is -1."""
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + sign * exponent
    return frozenset((name, exponent) for name, exponent in exponents.items() if exponent)


def named(dimension: Dimension) -> str:
    """Return a dimension for people: ``information / time``."""
    if not dimension:
        return "a plain number"

    def words(sign: int) -> str:
        found = sorted((n.strip("[]"), abs(e)) for n, e in dimension if e * sign > 0)
        return " * ".join(name if exponent == 1 else f"{name}^{exponent:g}" for name, exponent in found)

    above, below = words(1), words(-1)
    return f"{above or '1'} / {below}" if below else above


class Units:
    """The units that a site may write; Pint is imported when the first is asked for."""

    def __init__(self, counts: Iterable[str] = (), more: Mapping[str, str] | None = None) -> None:
        """*counts* are names of what is counted; *more* gives further units as a number and a unit: ``1609.344 m``."""
        self.counts = tuple(counts)
        self.more = dict(more or {})
        self.known: dict[str, Unit] = {"": Unit()}
        self._redefined: tuple[str, ...] = ()
        self._registry: Any = None

    def unit(self, text: str) -> Unit:
        """Read *text*; raises MetalworkingError (``unit``) for what Pint does not know, or has an offset."""
        found = self.known.get(text)
        if found is None:
            found = self.known[text] = self._read(text)
        return found

    def _read(self, text: str) -> Unit:
        # What Pint is given is only names, * and /: no expression that takes it long, whatever stands in the file.
        if len(text) > 80 or not _UNIT.fullmatch(text):
            shown = text if len(text) <= 40 else f"{text[:40]}…"
            raise MetalworkingError("unit", f"cannot read unit {shown!r}", "write GB/s, cycle, FLOP/byte, 1/s or %")
        registry = self._pint()
        if not all(map(self._means_what_it_says, re.findall(r"[^\W\d_][^\W_]*", text))):
            raise self._unknown(text)
        try:
            unit = registry.parse_units("percent" if text == "%" else text)
            base = registry.Quantity(1.0, unit).to_base_units()
        except Exception:  # Pint has errors of its own, and asserts on what its tokenizer leaves over: ¼
            raise self._unknown(text) from None
        return Unit(
            float(base.magnitude), frozenset((str(name), float(power)) for name, power in base.dimensionality.items())
        )

    @property
    def redefined(self) -> tuple[str, ...]:
        """Names among those counted and the further ones that are units already. Without Pint there are none."""
        with contextlib.suppress(MetalworkingError):
            self._pint()
        return self._redefined

    def _means_what_it_says(self, name: str) -> bool:
        """Tell whether *name* is read as people read it, or not at all."""
        found = self._registry.parse_unit_name(name)
        return not found or any(_fits(prefix, unit) for prefix, unit, _plural in found)

    def _unknown(self, text: str) -> MetalworkingError:
        odd = next((name for name in re.findall(r"[^\W\d_]+", text) if not self._has(name)), text)
        known = [*self.counts, *self.more, *(one.partition("=")[0] for one in _BASE.split()), *_USUAL]
        close = difflib.get_close_matches(odd, known, 1)
        hint = f"did you mean {close[0]}?" if close else "a thing that is counted goes into counts:"
        return MetalworkingError("unit", f"Pint knows no unit {odd!r}", hint)

    def _has(self, name: str) -> bool:
        try:
            self._registry.parse_units(name)
        except Exception:  # whatever Pint makes of it: it is not known
            return False
        return True

    def _pint(self) -> Any:
        if self._registry is None:
            try:
                import pint
            except ImportError:
                raise MetalworkingError(
                    "unit", "quantities need Pint", "install the package with its extra [quantities]"
                ) from None
            self._registry = pint.UnitRegistry(None)
            self._registry.load_definitions(list(self._definitions()))
            own = (*self.counts, *self.more)
            self._redefined = tuple(name for name in own if self._registry.parse_unit_name(name))
            self._registry.load_definitions([f"{name} = 1" for name in self.counts])
            for name, text in self.more.items():
                self._registry.define(f"{name} = {text}")
        return self._registry

    def _definitions(self) -> Iterator[str]:
        for name, sign, power in (one.split("=") for one in _PREFIXES.split()):
            yield f"{name}- = 1e{power} = {sign}-"
        for step, (name, sign) in enumerate((one.split("=") for one in _BINARY.split()), 1):
            yield f"{name}- = {1024**step} = {sign}-"
        yield from (one.replace("=", " = ") for one in _BASE.split())


def _fits(prefix: str, unit: str) -> bool:
    if not prefix:
        return True
    return unit not in _UNPREFIXED and unit not in (_ONLY_MORE if prefix in _LESS else _ONLY_LESS)
