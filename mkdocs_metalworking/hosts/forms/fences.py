"""Fences of a page as Markdown: none opens that was not made for code, and those of quoted code alone say so."""

from __future__ import annotations

import re
import secrets

from ...quote.fences import longer_ticks

QUOTED_WORD = "quoted"
"""What stands behind the language of quoted code alone, so that nobody takes what an author typed for it."""
_WITHIN = r"(?P<within>(?:[ \t]*(?:>|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t])))*[ \t]*)"
"""What may stand before a fence on its line: the marks of lists and quotations."""
_OPENS = re.compile(_WITHIN + r"(?P<opens>`{3,}[^`]*|~{3,}.*)")


class Fences:
    """The fences of one page, made with words that nobody can have typed, since they are drawn for it."""

    def __init__(self) -> None:
        self._quoted, self._typed = (secrets.token_hex(16) for _ in range(2))
        self._made = re.compile(rf"{_WITHIN}(?P<fence>`{{3,}})[\w+#.-]* (?P<kind>{self._quoted}|{self._typed})")

    def of(self, code: str, language: str, *, quoted: bool) -> str:
        """Return the fence of *code*, longer than any run of backticks in it; *finish* writes what it is."""
        fence = longer_ticks(code, 3)
        language = "" if language.lower().startswith(QUOTED_WORD) else language
        return f"{fence}{language} {self._quoted if quoted else self._typed}\n{code}\n{fence}"

    def finish(self, text: str) -> str:
        """Return *text* with a word behind the language of quoted code, and no fence but those that were made here.

        A line of other text that would open one has a backslash before it: no list of elements and attributes says
        what a converter makes of them all.
        """
        made, until = [], ""
        for line in text.split("\n"):
            if until:
                made.append(line)
                until = "" if until in line else until  # the code has no run of that length
            elif found := self._made.fullmatch(line):
                until = found["fence"]
                word = f" {QUOTED_WORD}" if found["kind"] == self._quoted else ""
                made.append(f"{line[: found.start('kind') - 1]}{word}")
            else:
                plain = line.replace(f" {self._quoted}", "").replace(f" {self._typed}", "")
                opening = _OPENS.fullmatch(plain)
                made.append(f"{opening['within']}\\{opening['opens']}" if opening else plain)
        return "\n".join(made)
