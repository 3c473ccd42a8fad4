"""Which licenses let a few lines be shown: SPDX expressions, judged."""

from __future__ import annotations

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


@cache
def license_allowed(expression: str) -> bool:
    """Tell whether an SPDX *expression* can be met with allowed licenses: OR needs one side, AND both.

    Raises ValueError when it is not SPDX.
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
