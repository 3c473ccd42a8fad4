"""Which licenses let a few lines be shown: SPDX expressions, judged."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

ALLOWED_LICENSES = frozenset(
    {
        "MIT",
        "MIT-0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "0BSD",
        "ISC",
        "Apache-2.0",
        "Zlib",
        "CC0-1.0",
        "CC-BY-4.0",
        "CC-BY-3.0",
    }
)
"""Licenses under which a few lines may be shown with attribution."""

_NAMES = ("license", "licence", "copying", "unlicense")


def license_name(names: Iterable[str]) -> str:
    """Return which of *names*, those of a root folder, is the license file; "" when none looks like one."""
    return min((name for name in names if name.lower().startswith(_NAMES)), key=_plainness, default="")


def _plainness(name: str) -> tuple[int, str]:
    """Rank LICENSE before LICENSE.md before LICENSE-MIT before what else begins so."""
    order = ("license", "license.md", "license.txt", "license-mit", "copying")
    return order.index(name.lower()) if name.lower() in order else len(order), name


@cache
def license_allowed(expression: str) -> bool:
    """Tell whether an SPDX *expression* can be met with allowed licenses: OR needs one side, AND both.

    Raises ValueError when it is not SPDX. The schema of sources.yml bounds how long one may be.
    """
    try:
        text = canonicalize_license_expression(expression)
    except InvalidLicenseExpression as error:
        raise ValueError(str(error)) from error
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    return _alternatives(words, ALLOWED_LICENSES)


def _alternatives(words: list[str], permitted: frozenset[str]) -> bool:
    """Evaluate ``a AND b OR c``; the grammar was checked before. AND binds tighter (SPDX 2.3, annex D)."""
    result = _conjunction(words, permitted)
    while words and words[0] == "OR":
        words.pop(0)
        result = _conjunction(words, permitted) or result
    return result


def _conjunction(words: list[str], permitted: frozenset[str]) -> bool:
    result = _license(words, permitted)
    while words and words[0] == "AND":
        words.pop(0)
        result = _license(words, permitted) and result
    return result


def _license(words: list[str], permitted: frozenset[str]) -> bool:
    word = words.pop(0)
    if word == "(":
        result = _alternatives(words, permitted)
        words.pop(0)
        return result
    if words and words[0] == "WITH":  # an exception only ever adds permissions
        del words[:2]
    return word in permitted
