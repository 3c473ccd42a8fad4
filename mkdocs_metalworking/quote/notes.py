"""Line notes: the label that ties an item of a list to lines of the excerpt above it."""

from __future__ import annotations

import re

from .diagnostics import MetalworkingError
from .lines import Ranges, parse_ranges

_LINES = r"L[0-9]+(?:-L?[0-9]+)?"
_LABEL = re.compile(rf"{_LINES}(?:, ?{_LINES})*", re.ASCII)
NOTE = re.compile(
    r"[ \t>]*(?:[-*+]|(?P<number>[0-9]+[.)]))[ \t]+"
    r"(?P<odd>[*_`\[(]{0,3})(?P<label>[Ll][ \t]?\d[\d \t,;&LlC+\u2010-\u2015\u2212-]*)(?P<close>[*_`\])]{0,3})"
    r"(?P<colon>[:\uff1a][*_`\])]{0,3})(?P<after>\s|$)?"
)
"""A line that begins an item with a label, well written or not."""


def read_note(match: re.Match[str]) -> Ranges:
    """Return the lines that a match of ``NOTE`` names. Raises MetalworkingError for a label that is not written so."""
    label = match["label"]
    written = label.rstrip() + match["colon"]
    if match["number"]:
        raise MetalworkingError("note", f"line note {label.strip()[:40]} in a numbered list", "begin its items with -")
    if match["odd"] or match["close"] or match["colon"] != ":" or not _LABEL.fullmatch(label):
        plain = re.sub("[\u2010-\u2015\u2212]", "-", label.strip()).upper()
        plain = "".join(str(int(ch)) if ch.isdecimal() else ch for ch in plain).replace(" ", "")
        hint = f"write {plain[:40]}: and then the text" if _LABEL.fullmatch(plain) else "write L7:, L5-12: or L5, L7-9:"
        shown = f"{match['odd']}{written[:40]}"
        raise MetalworkingError("note", f"a line note cannot be read: {shown!r}", hint)
    if match["after"] is None:
        message = f"no blank after the line note's {written[:40]}"
        raise MetalworkingError("note", message, f"write {written[:40]} and a blank")
    return parse_ranges(label.replace(" ", ""), what="note")
