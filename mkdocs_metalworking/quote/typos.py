"""Text that is like a directive and is none: other letters, other blanks, other brackets, or another place."""

from __future__ import annotations

import re
from typing import NamedTuple

from .diagnostics import INVISIBLE, MetalworkingError
from .suggest import nearest

_BLANKS = r" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000" + INVISIBLE.pattern[1:-1]
GAP = f"[{_BLANKS}]"
_OPEN = re.compile(
    rf"(?<!\\)<(?P<between>{GAP}*)<(?P<gap>{GAP}*)(?P<word>[^\W\d_](?:[^\W\d_]|{INVISIBLE.pattern}){{3,15}})?"
)
_TARGET = re.compile(r"(?:[^\s@<>]{1,200}@[0-9A-Fa-f]{4,64}|\bself(?:@[0-9a-f]{4,64})?):(?!:)")
_ONE = re.compile(
    rf"<excerpt\b|\bexcerpt{GAP}+(?P<target>(?:[^\s@<>]{{1,200}}@[0-9A-Fa-f]{{4,64}}|self(?:@[0-9a-f]{{4,64}})?):(?!:))",
    re.IGNORECASE,
)


class Typo(NamedTuple):
    """What was found on a line: its offsets there, its text, and what to do about it."""

    start: int
    end: int
    raw: str
    problem: MetalworkingError


def typo_on(line: str) -> Typo | None:
    """Return what is like a directive and is none; of several on a line the first, since one is to be mended first."""
    found = next(((m, hint) for m in _OPEN.finditer(line) if (hint := _meant(line, m))), None)
    found = found or next(((m, _ONE_HINT) for m in _ONE.finditer(line) if not _written_out(line, m)), None)
    if found is None:
        return None
    match, hint = found
    before = line[: match.start()].rstrip(" \t")
    begin = len(before) - 1 if before.endswith(("<", "\u00ab", "\u2039", "\uff1c")) else match.start()
    close = line.find(">>", match.end())
    raw = line[begin : close + 2] if close >= 0 else line[begin:].rstrip()
    return Typo(begin, match.end(), raw, MetalworkingError("leftover", f"left over as text: {raw[:60].strip()}", hint))


_ONE_HINT = "write << excerpt … >> with two brackets"


def _written_out(line: str, match: re.Match[str]) -> bool:
    """Tell whether what *match* found is escaped: behind a backslash, brackets that are, or what Markdown put aside."""
    before = line[: match.start()].rstrip(" \t")
    return before.endswith(("\\", "\\<<", "\x03"))


def _meant(line: str, match: re.Match[str]) -> str:
    """Return what to do about text that begins as a directive does; nothing when it is like none."""
    word = "".join(ch for ch in match["word"] or "" if ch.isalpha())
    if not nearest(word.lower(), ["excerpt"], 0.7):
        target = _TARGET.match(line, match.end("gap"))
        return (
            "write << excerpt before it" if target is not None and ("/" in target[0] or target[0][:4] == "self") else ""
        )
    after = line[match.end() : match.end() + 1]
    between = match["between"] + match["gap"] + (match["word"] or "") + (after if re.match(GAP, after) else "")
    odd = next((ch for ch in between if ch not in " \t" and not ch.isalpha()), "")
    if odd:
        return f"U+{ord(odd):04X} stands in it, which is no plain blank: write << excerpt with blanks"
    if word != "excerpt":
        return "write << excerpt" + (", in small letters" if word.lower() == "excerpt" else "")
    if match["between"]:
        return "write << without a blank between"
    before = line[: match.start()].strip("> \t")
    if before and not INVISIBLE.sub("", before).strip():
        return f"U+{ord(before[0]):04X} stands before it, which is no plain blank: take it out"
    return r"put the directive alone on its line; in prose write \<< excerpt"
