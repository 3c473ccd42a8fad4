"""Formulas over quantities: ``pool / (threads * 4 B)``. Read by this parser alone, never as Python.

The whole language: numbers, each with a unit name behind it or none; keys of other quantities; ``+ - * / ^`` with their
usual precedence, a minus within a key having no blank beside it; parentheses; ``min``, ``max``, ``floor``, ``ceil``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product as pairs

from .diagnostics import MetalworkingError
from .units import NONE, Dimension, Unit, named, product

KEY = r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*"
"""A quantity's key, which a formula and a page write alike."""
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{{1,3}})?)(?:[ ]?(?P<unit>[^\W\d_]+|%))?(?![\w.])"
    rf"|(?P<key>{KEY})(?![\w])|(?P<sign>[-+*/^(),])|(?P<odd>\S))"
)
LONGEST = 500
"""Characters of a formula."""
_DEEPEST = 25
_FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "floor": lambda values: float(math.floor(values[0] + 1e-9)),
    "ceil": lambda values: float(math.ceil(values[0] - 1e-9)),
}


@dataclass(frozen=True, slots=True)
class Number:
    """A value in base units, from *low* to *high*, of one *dimension*."""

    low: float
    high: float
    dimension: Dimension = NONE

    def per(self, unit: Unit) -> tuple[float, float]:
        """Return the ends in *unit*, of the same dimension."""
        return self.low / unit.factor, self.high / unit.factor


class Formula:
    """A formula that could be read. ``keys`` are the quantities that it names."""

    def __init__(self, text: str, unit: Callable[[str], Unit]) -> None:
        """Read *text*; raises MetalworkingError (``formula``, ``unit``)."""
        if len(text) > LONGEST:
            raise _bad(f"a formula of {len(text)} characters", f"{LONGEST} at most: name its parts")
        self.text = text
        self._unit = unit
        self._tokens = [match for match in _TOKEN.finditer(text) if match.lastgroup]
        odd = next((match for match in self._tokens if match["odd"]), None)
        if odd is not None:
            raise _bad(f"cannot read the formula at {text[odd.start('odd') :][:20]!r}", _HELP)
        self.keys = frozenset(m["key"] for m in self._tokens if m["key"] and m["key"] not in _FUNCTIONS)
        self._at = 0
        self._depth = 0
        self._values: Callable[[str], Number] | None = None
        try:
            self._sum()
        except OverflowError:
            raise _too_large(text) from None
        if self._at < len(self._tokens):
            raise self._stuck()

    def evaluate(self, values: Callable[[str], Number]) -> Number:
        """Return the value, with *values* for the keys.

        Raises MetalworkingError (``formula``) for units that do not agree and for a division by zero.
        """
        self._at = self._depth = 0
        self._values = values
        try:
            return self._sum()
        except OverflowError:
            raise _too_large(self.text) from None
        finally:
            self._values = None

    # The grammar. One round checks it, with 1 for every value; the next ones compute.

    def _sum(self) -> Number:
        result = self._product()
        while (sign := self._sign("+-")) is not None:
            other = self._product()
            self._same(result, other, "added to" if sign == "+" else "taken from")
            ends = (other.low, other.high) if sign == "+" else (-other.high, -other.low)
            result = _number(result.low + ends[0], result.high + ends[1], result.dimension)
        return result

    def _product(self) -> Number:
        result = self._power()
        while (sign := self._sign("*/")) is not None:
            other = self._power()
            if sign == "/":
                if other.low <= 0 <= other.high and self._values is not None:
                    raise _bad(f"division by zero in {self.text}", "a range that reaches zero counts as zero")
                other = Number(1 / (other.high or 1), 1 / (other.low or 1), product(NONE, other.dimension, -1))
            ends = [a * b for a, b in pairs((result.low, result.high), (other.low, other.high))]
            result = _number(min(ends), max(ends), product(result.dimension, other.dimension))
        return result

    def _power(self) -> Number:
        if self._sign("-") is not None:  # -2^2 is -(2^2), as in mathematics
            inner = self._nested(self._power)
            return Number(-inner.high, -inner.low, inner.dimension)
        base = self._atom()
        if self._sign("^") is None:
            return base
        token = self._next()
        if token is None or not token["number"] or token["unit"] or not re.fullmatch(r"[1-9]", token["number"]):
            raise _bad("an exponent is one digit, 1 to 9", _HELP)
        result = base
        for _ in range(int(token["number"]) - 1):
            ends = [a * b for a, b in pairs((result.low, result.high), (base.low, base.high))]
            result = _number(min(ends), max(ends), product(result.dimension, base.dimension))
        return result

    def _atom(self) -> Number:
        token = self._next()
        if token is None:
            raise _bad(f"the formula ends too early: {self.text[-30:]!r}", _HELP)
        if token["number"]:
            unit = self._unit(token["unit"] or "")
            value = float(token["number"]) * unit.factor
            return _number(value, value, unit.dimension)
        if token["key"] in _FUNCTIONS:
            return self._call(token["key"])
        if token["key"]:
            return Number(1, 1) if self._values is None else self._values(token["key"])
        if token["sign"] == "(":
            inner = self._nested(self._sum)
            self._expect(")")
            return inner
        self._at -= 1
        raise self._stuck()

    def _call(self, name: str) -> Number:
        self._expect("(")
        values = [self._nested(self._sum)]
        while self._sign(",") is not None:
            values.append(self._nested(self._sum))
            self._same(values[0], values[-1], "compared with")
        self._expect(")")
        rounding = name in ("floor", "ceil")
        if rounding and (len(values) > 1 or (values[0].dimension and self._values is not None)):
            raise _bad(f"{name} takes one plain number", "divide by the unit first")
        made = _FUNCTIONS[name]
        return Number(made([v.low for v in values]), made([v.high for v in values]), values[0].dimension)

    def _same(self, left: Number, right: Number, what: str) -> None:
        if left.dimension != right.dimension and self._values is not None:
            units = f"{named(right.dimension)} is {what} {named(left.dimension)}"
            raise _bad(f"units do not agree in {self.text}: {units}", "")

    def _nested(self, rule: Callable[[], Number]) -> Number:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _bad(f"a formula nested deeper than {_DEEPEST}", "name its parts")
        try:
            return rule()
        finally:
            self._depth -= 1

    def _next(self) -> re.Match[str] | None:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def _sign(self, which: str) -> str | None:
        if self._at < len(self._tokens) and (sign := self._tokens[self._at]["sign"]) and sign in which:
            self._at += 1
            return sign
        return None

    def _expect(self, sign: str) -> None:
        if self._sign(sign) is None:
            raise self._stuck(f"{sign} is missing")

    def _stuck(self, why: str = "") -> MetalworkingError:
        at = self._tokens[self._at].start() if self._at < len(self._tokens) else len(self.text)
        rest = self.text[at:].strip()[:20]
        place = f"at {rest!r}" if rest else "at its end"
        return _bad(f"cannot read the formula {place}" + (f": {why}" if why else ""), _HELP)


_HELP = "numbers with a unit, keys, + - * / ^, parentheses, min, max, floor, ceil"


def _number(low: float, high: float, dimension: Dimension) -> Number:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise OverflowError
    return Number(low, high, dimension)


def _too_large(text: str) -> MetalworkingError:
    return _bad(f"{text[:60]} is too large a number", "")


def _bad(message: str, hint: str) -> MetalworkingError:
    return MetalworkingError("formula", message, hint)
