"""Quantities on a page: ``[=m1.simd-sum.f32]``, or with attributes ``[=m1.simd-sum.f32 as=number digits=2]``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from .diagnostics import MetalworkingError
from .formula import KEY
from .quantities import Quantities, Quantity, joined

LINKED_QUANTITY = re.compile(r"\[=(?P<inner>[A-Za-z][^\[\]\n]{0,200})\]")
QUANTITY = re.compile(rf"{LINKED_QUANTITY.pattern}(?!\(|\[[^@=^])")
"""What is meant as one; ``[=x](…)`` is a link."""
_INNER = re.compile(rf"(?P<key>{KEY})(?P<attributes>(?:\s+[a-z]+=\S+)*)\s*")
_KEY = re.compile(rf"({KEY})(?=\s|\Z)")
_HINT = "write [=key], [=key as=number], [=key digits=2] or [=key unit=GB/s]"


class Form(StrEnum):
    """What is shown."""

    FULL = "full"
    """Number, unit and the footnote of the source."""
    TEXT = "text"
    """Number and unit."""
    NUMBER = "number"
    """The number alone."""
    RANGE = "range"
    """Lowest and highest over runs alone."""
    CELL = "cell"
    """Number, unit and footnote, with the chip and the kind of evidence below: for tables that compare."""
    SENTENCE = "sentence"
    """Number, unit, conditions and kind of evidence, and the footnote."""


SOURCED = (Form.FULL, Form.CELL, Form.SENTENCE)
"""Forms that show the footnote of the source."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A quantity as one mention asks for it. ``text`` is plain."""

    quantity: Quantity
    form: Form
    text: str


@dataclass(frozen=True, slots=True)
class QuantityMention:
    """A parsed mention."""

    key: str
    form: Form = Form.FULL
    digits: int | None = None
    unit: str = ""


@lru_cache(maxsize=4096)
def read_quantity_mention(inner: str) -> QuantityMention:
    """Read what stands between ``[=`` and ``]``; raises MetalworkingError (``quantity``)."""
    match = _INNER.fullmatch(inner)
    if match is None:
        raise MetalworkingError("quantity", f"cannot read quantity [={inner[:60]}]", _HINT)
    key, form, digits, unit = match["key"], Form.FULL, None, ""
    seen: set[str] = set()
    for attribute in match["attributes"].split():
        name, _, value = attribute.partition("=")
        if name in seen:
            raise MetalworkingError("quantity", f"{name}= is given twice in [={key}]", "keep one")
        seen.add(name)
        if name == "as" and value in set(Form):
            form = Form(value)
        elif name == "as":
            raise MetalworkingError("quantity", f"as={value} in [={key}]", f"one of: {', '.join(Form)}")
        elif name == "digits" and re.fullmatch("[1-9]|1[0-2]", value):
            digits = int(value)
        elif name == "digits":
            raise MetalworkingError("quantity", f"digits={value} in [={key}]", "write 1 to 12")
        elif name == "unit":
            unit = value
        else:
            raise MetalworkingError("quantity", f"unknown attribute {name}= in [={key}]", _HINT)
    return QuantityMention(key, form, digits, unit)


def mentioned_keys(text: str) -> list[str]:
    """Return the keys that *text* names, wherever they stand in it."""
    if "[=" not in text:
        return []
    return [found[1] for match in QUANTITY.finditer(text) if (found := _KEY.match(match["inner"]))]


def shown_quantity(mention: QuantityMention, quantities: Quantities) -> Shown:
    """Return what *mention* shows; raises MetalworkingError (``quantity``, ``unit``)."""
    quantity = quantities.get(mention.key)
    factor = quantities.factor(quantity, mention.unit) if mention.unit else 1.0
    unit = mention.unit or quantity.shown or quantity.unit
    if mention.form is Form.NUMBER:
        return Shown(quantity, mention.form, quantity.number(mention.digits, factor))
    if mention.form is Form.RANGE:
        ends = quantity.spread_text(mention.digits, factor)
        if not ends:
            raise MetalworkingError("quantity", f"{mention.key} has no range beside its value", "leave out as=range")
        return Shown(quantity, mention.form, ends)
    text = joined(quantity.number(mention.digits, factor), unit)
    if mention.form is Form.SENTENCE and (about := quantity.about()):
        text = f"{text} ({about})"
    return Shown(quantity, mention.form, text)


def fill_plain(
    text: str, quantities: Quantities, dress: Callable[[str], str] = str
) -> tuple[str, list[tuple[str, MetalworkingError]], list[str]]:
    """Replace the mentions in plain *text* by what they show, each through *dress*.

    Returns the text, what could not be shown with the reason, and the keys that were. Without quantities all is as it
    was.
    """
    problems: list[tuple[str, MetalworkingError]] = []
    keys: list[str] = []
    if not quantities or "[=" not in text:
        return text, problems, keys

    def one(match: re.Match[str]) -> str:
        try:
            shown = shown_quantity(read_quantity_mention(match["inner"]), quantities)
        except MetalworkingError as problem:
            problems.append((match[0], problem))
            return match[0]
        keys.append(shown.quantity.key)
        return dress(shown.text)

    return QUANTITY.sub(one, text), problems, keys


def plain_text(text: str, quantities: Quantities) -> tuple[str, list[MetalworkingError], list[str]]:
    """Return *text* with its quantities as words between plain blanks, what is wrong with them, and the keys shown.

    Of a mention that cannot be shown the key stays.
    """
    filled, problems, keys = fill_plain(text, quantities)
    for mention, _problem in problems:
        filled = filled.replace(mention, mention.strip("[=]"))
    return filled.replace("\u00a0", " ") if filled != text else text, [problem for _, problem in problems], keys
