"""Words and names as Markdown that shows them as they are, and breaks names only where a reader would."""

from __future__ import annotations

import re

from .labels import Labels

_SPECIAL = re.compile(r"""[\\`*_{}\[\]()#+!|<>&~^=:@$"']""")
# Names of an API, as against words: what a reader expects in a code face.
_NAME = re.compile(r"[_:.(\[<]|[a-z][A-Z]|^[a-z]+[0-9]")
_WORD = re.compile(r"(?:^|\s)\(?[a-z]{2,}[,;)]?(?=\s|$)")
_EDGES = re.compile(r"([(\[]?)(.*?)([,;.]?(?<![(\[])(?:(?<=\w)\))?[,;.]?)", re.DOTALL)
# Where a name may be broken: behind _ ( : . and where lower case turns to upper.
_BREAK = re.compile(r"(?<=[_(:.])(?=[^\s_(:.)])|(?<=[a-z0-9])(?=[A-Z])")
_SOLID = re.compile(r"[-/?!|%&+,\[\]{}]")


def literal(text: str) -> str:
    """Return Markdown that shows *text* as it is, whatever Markdown, HTML or an extension would read in it."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", text)


def code(text: str) -> str:
    """Return *text* as Markdown: names of an API in a code face, words as words. A pipe is safe in a table.

    Where the author set a code face with backticks, it is kept, and nothing else is read in the text.
    """
    if "`" in text:
        parts = re.split(r"`([^`]+)`", text)
        return "".join(_face(part) if index % 2 else literal(part) for index, part in enumerate(parts))
    if not _NAME.search(text):
        return literal(text)
    if "<<<" in text or not _WORD.search(text):
        return _face(text)
    return " ".join(_split_face(part) for part in text.split())


def _split_face(part: str) -> str:
    lead, name, trail = _EDGES.fullmatch(part).groups()  # type: ignore[union-attr]  # the pattern matches anything
    return f"{literal(lead)}{_face(name)}{literal(trail)}" if _NAME.search(name) else literal(part)


def _face(text: str) -> str:
    return f"<code>{breakable(text)}</code>"


def breakable(text: str) -> str:
    """Return *text* as Markdown that may be broken at spaces, behind ``_``, ``(``, ``:`` and ``.``, and at capitals.

    A browser would break at hyphens and slashes too: what holds one of these stays together.
    """
    return "".join(part if part.isspace() else _word(part) for part in re.split(r"(\s+)", text))


def _word(word: str) -> str:
    parts = _BREAK.split(word)
    return "<wbr>".join(
        f'<span class="mw-nb">{literal(part)}</span>' if _SOLID.search(part) else literal(part) for part in parts
    )


def verdict_chip(verdict: str, labels: Labels) -> str:
    """Return the verdict as a chip in HTML, or nothing."""
    return f'<span class="mw-verdict mw-v-{verdict}">{literal(labels[verdict])}</span>' if verdict else ""
