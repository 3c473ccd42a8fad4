"""What can be wrong, where, and what to type next.

Every layer speaks of problems with these types; only the host prints, logs or raises to the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Severity(StrEnum):
    """How a problem ends a build."""

    ERROR = "error"
    """Wrong grammar, range, bytes or data: ``build`` exits 1."""
    UNAVAILABLE = "unavailable"
    """The source could not be reached: the page shows a card; fatal under ``--strict``."""
    WARNING = "warning"
    """Worth a look; fatal under ``--strict``."""
    HINT = "hint"
    """Something an author may want to know; never fatal, told by ``check`` alone."""


INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufff9-\ufffb"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U00013430-\U00013442\U00016fe4\U0001d159\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ufdd0-\ufdef" + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF)) + "]"
)
"""Characters that cannot be seen, or that reorder others: C0 and C1 controls but tab and LF, line separators, marks of
the bidi algorithm, and all of Unicode's Default_Ignorable_Code_Point (zero width, fillers, variation selectors, tags),
in which whole programs have been hidden. What is blank by definition: the empty Braille pattern, controls and blanks of
hieroglyphs, Khitan's filler, the null notehead. And noncharacters, for which no font has a picture and which XML
refuses."""


def printable(text: str) -> str:
    """Make *text* safe for a terminal or a log: control, bidi and other invisible characters are escaped."""
    if text.isprintable() and (text.isascii() or not INVISIBLE.search(text)):
        return text
    return "".join(
        ch if ch.isprintable() and not INVISIBLE.match(ch) else ch.encode("unicode_escape").decode("ascii")
        for ch in text
    )


_LONGEST = 4000
"""Characters of a message or a hint; of a longer one the middle is left out."""
_USERINFO = re.compile(r"(?<=//)[^/?#\s@]*(?:@[^/?#\s@]*)*@")


def redact(text: str) -> str:
    """Return *text* with user names, passwords, queries and fragments of every URL in it left out."""
    return re.sub(r"(?<=://)(\S*?)[?#]\S*", r"\1", _USERINFO.sub("", text))


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file the author wrote. ``line`` counts from 1; None when the whole file is meant."""

    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: *message* says what is wrong, *hint* what to do next."""

    severity: Severity
    code: str
    message: str
    hint: str = ""
    location: Location = field(default_factory=Location)

    def at(self, location: Location) -> Diagnostic:
        """Return a copy placed at *location*, unless it already has a place."""
        return self if self.location.path else replace(self, location=location)

    def __post_init__(self) -> None:
        for name in ("message", "hint"):
            text = getattr(self, name)
            if len(text) > _LONGEST:  # somebody else's text may be in it
                object.__setattr__(self, name, f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}")

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{where}{self.message}{hint}")

    def as_dict(self) -> dict[str, str | int | None]:
        """Return plain data for ``--json``."""
        return {
            "path": self.location.path,
            "line": self.location.line,
            "severity": self.severity.value,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }


class MetalworkingError(Exception):
    """A problem on its way to whoever can place and report it."""

    severity = Severity.ERROR

    def __init__(self, code: str, message: str, hint: str = "", location: Location | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(self.severity, code, message, hint, location or Location())

    def __str__(self) -> str:
        return str(self.diagnostic)


class Unavailable(MetalworkingError):
    """The bytes exist, as far as anyone knows, but could not be had here and now."""

    severity = Severity.UNAVAILABLE


class Diagnostics:
    """An ordered collection of problems; the same problem is kept once."""

    def __init__(self, items: Iterable[Diagnostic] = ()) -> None:
        self._items: dict[Diagnostic, None] = dict.fromkeys(items)

    def add(self, item: Diagnostic) -> None:
        """Record one problem."""
        self._items[item] = None

    def extend(self, items: Iterable[Diagnostic]) -> None:
        """Record several problems."""
        for item in items:
            self.add(item)

    def of(self, severity: Severity) -> list[Diagnostic]:
        """Return the problems of one severity, by file and line."""
        found = [item for item in self._items if item.severity is severity]
        return sorted(found, key=lambda d: (d.location.path, d.location.line or 0))

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(sorted(self._items, key=lambda d: (d.location.path, d.location.line or 0)))

    def __len__(self) -> int:
        return len(self._items)


def raised(error: Exception) -> str:
    """Return what *error*, of a program that is not ours, is and says, in one line."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def reason_of(error: Exception) -> str:
    """Return why a file could not be read or written, in a few words."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is no UTF-8"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
