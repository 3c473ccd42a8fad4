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
_USUAL = (
    "%=0.01 cycle cycles FLOP FLOPs kFLOP=1e3 MFLOP=1e6 GFLOP=1e9 TFLOP=1e12 instruction instructions times "
    "s=1:1 ms=1e-3:1 µs=1e-6:1 ns=1e-9:1 Hz=1:-1 kHz=1e3:-1 MHz=1e6:-1 GHz=1e9:-1 "
    "FLOPS=1:-1 MFLOPS=1e6:-1 GFLOPS=1e9:-1 TFLOPS=1e12:-1 bit=1:0:1 bits=1:0:1 byte=8:0:1 bytes=8:0:1 B=8:0:1 "
    "kB=8e3:0:1 MB=8e6:0:1 GB=8e9:0:1 TB=8e12:0:1 KiB=8192:0:1 MiB=8388608:0:1 GiB=8589934592:0:1"
)
"""What Pint makes of the units that files are full of: factor, exponent of time, exponent of information.

To import Pint takes 1% of the book's build. A test holds each to what Pint says.
"""
_UNPREFIXED = frozenset({"minute", "hour", "day", "tonne", "percent"})
_ONLY_MORE = frozenset({"bit", "byte", "count", "cycle"})
_ONLY_LESS = frozenset({"tesla"})
"""Units that have no prefix, none that divides, and none that multiplies: ft would be femto-tonnes, yd yocto-days, dB a
tenth of a byte, GT/s giga-teslas."""
_LESS = frozenset(one.split("=")[0] for one in _PREFIXES.split() if "=-" in one)
_UNIT = re.compile(r"[^\W\d_%][^\W_]*(?:\^-?[1-9])?(?:\s?[*/]\s?[^\W\d_][^\W_]*(?:\^-?[1-9])?){0,5}|%|1/[^\W\d_]+")
_EXAMPLES = ("GB", "KiB", "MiB", "TFLOPS", "ns", "MHz")
_TERM = re.compile(r"([*/]?)\s?([^\W\d_]+|%)(?:\^(-?[1-9]))?")


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


def _usual() -> dict[str, Unit]:
    units = {}
    for name, _, told in (one.partition("=") for one in _USUAL.split()):
        factor, time, information, *_ = (*map(float, (told or "1").split(":")), 0.0, 0.0)
        exponents = (("[time]", time), ("[information]", information))
        units[name] = Unit(factor, frozenset((base, exponent) for base, exponent in exponents if exponent))
    return units


class Units:
    """The units that a site may write; Pint is imported when the first is asked for that is not a usual one."""

    def __init__(self, counts: Iterable[str] = (), more: Mapping[str, str] | None = None) -> None:
        """*counts* are names of what is counted; *more* gives further units as a number and a unit: ``1609.344 m``."""
        self.counts = tuple(counts)
        self.more = dict(more or {})
        self.known: dict[str, Unit] = {"": Unit()}
        self._usual = _usual()
        own = {*self.counts, *self.more}
        if self._usual.keys() & own.union(f"{name}s" for name in own):  # Pint tells what such a name means
            self._usual.clear()
        else:
            plurals = (f"{name}s" for name in self.counts if len(name) > 1)
            self._usual |= dict.fromkeys((*self.counts, *plurals), Unit())
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
        usual = self._product_of_usual(text)
        if usual is not None:
            return usual
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

    def _product_of_usual(self, text: str) -> Unit | None:
        factor, dimension, at = 1.0, NONE, 0
        for term in _TERM.finditer(text):
            unit = self._usual.get(term[2])
            if unit is None or term.start() != at:
                return None
            at, power = term.end(), int(term[3] or 1) * (-1 if term[1] == "/" else 1)
            factor *= unit.factor**power
            for _ in range(abs(power)):
                dimension = product(dimension, unit.dimension, 1 if power > 0 else -1)
        return Unit(factor, dimension) if at == len(text) else None

    @property
    def redefined(self) -> tuple[str, ...]:
        """Names among those counted and the further ones that are units already. Without Pint there are none."""
        if any(map(_could_be_a_unit, (*self.counts, *self.more))):
            with contextlib.suppress(MetalworkingError):
                self._pint()
        return self._redefined

    def _means_what_it_says(self, name: str) -> bool:
        """Tell whether *name* is read as people read it, or not at all."""
        found = self._registry.parse_unit_name(name)
        return not found or any(_fits(prefix, unit) for prefix, unit, _plural in found)

    def _unknown(self, text: str) -> MetalworkingError:
        odd = next((name for name in re.findall(r"[^\W\d_]+", text) if not self._has(name)), text)
        known = [*self.counts, *self.more, *(one.partition("=")[0] for one in _BASE.split()), *_EXAMPLES]
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


def _could_be_a_unit(name: str) -> bool:
    """Tell whether *name* ends as a unit does, with no more than a prefix before it; what it is Pint tells."""
    before = {part for one in (*_PREFIXES.split(), *_BINARY.split()) for part in one.split("=")} | {""}
    for unit, _definition, *others in (one.split("=") for one in _BASE.split()):
        for ending in (form for word in (unit, *others) for form in (word, f"{word}s")):
            if name.endswith(ending) and name.removesuffix(ending) in before:
                return True
    return False


def _fits(prefix: str, unit: str) -> bool:
    if not prefix:
        return True
    return unit not in _UNPREFIXED and unit not in (_ONLY_MORE if prefix in _LESS else _ONLY_LESS)
