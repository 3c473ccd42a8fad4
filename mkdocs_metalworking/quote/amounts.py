"""Numbers as pages show them, and when two of them agree."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

DERIVED_DIGITS = 3
"""Significant digits of a value that was computed and says no other number."""

_PLAIN, _COMPUTED = 21, 15
"""Places of the largest number that is shown without an exponent, as it was written and rounded."""


def number_text(value: float, digits: int | None = None, *, exact: bool = True) -> str:
    """Return *value* with commas for thousands: as it was written, or with so many significant *digits*.

    When not *exact*, zeros that rounding left behind the point are dropped.
    """
    number = Decimal(repr(value)) if digits is None else rounded(value, digits)
    if abs(number.adjusted()) < (_PLAIN if digits is None else _COMPUTED):
        text = f"{number:,f}"
    else:
        text = f"{number.normalize():e}" if digits is None else f"{number:.{digits - 1}e}"
    if digits is not None and not exact and "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "\u2212")


def digits_of(value: float) -> int:
    """Return how many significant digits *value* was written with, as far as a computer computes with them."""
    number = Decimal(repr(value))
    whole = number.to_integral_value()
    return min(len((whole if number == whole else number.normalize()).as_tuple().digits), _COMPUTED)


def rounded(value: float, digits: int) -> Decimal:
    """Return *value* with so many significant *digits*, halves away from zero, as people round."""
    number = Decimal(repr(value))
    if not number:
        return Decimal(0)
    # Through 15 digits first: 26.85 that was computed may be 26.849999999999998.
    number = Decimal(f"{value:.14e}")
    step = Decimal(1).scaleb(number.adjusted() - digits + 1)
    return (
        number.quantize(min(step, Decimal(1)), ROUND_HALF_UP)
        if step <= 1
        else ((number / step).quantize(Decimal(1), ROUND_HALF_UP) * step)
    )


def range_text(low: float, high: float, digits: int | None = None, *, exact: bool = True) -> str:
    """Return ``515-919`` with an en dash, or one number when both ends look alike."""
    ends = [number_text(end, digits, exact=exact) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else "\u2013".join(ends)


def agree(said: float, value: float, tolerance: float) -> bool:
    """Tell whether a source that says *said* agrees with *value*.

    It does within *tolerance*, a share of the value, and when *value* rounds to what it says: 26.5 agrees with 26.55.
    """
    if abs(said - value) <= tolerance * abs(value) * (1 + 1e-9):
        return True
    exponent = Decimal(repr(said)).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    half = 0.5 * 10.0 ** min(exponent, 0)
    return abs(said - value) <= half * (1 + 1e-9)
