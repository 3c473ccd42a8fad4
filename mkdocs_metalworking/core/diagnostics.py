"""What can be wrong, where, and what to type next.

Every layer speaks of problems with these types; only the host prints, logs or raises to the user.
"""

from __future__ import annotations

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


def printable(text: str) -> str:
    """Make *text* safe for a terminal or a log: control, bidi and zero-width characters are escaped."""
    if text.isprintable() and (text.isascii() or not _INVISIBLE.intersection(text)):
        return text
    return "".join(
        ch if ch.isprintable() and ch not in _INVISIBLE else ch.encode("unicode_escape").decode("ascii") for ch in text
    )


_INVISIBLE = frozenset("\u00ad\u061c\u180e\u200b\u200c\u200d\u2060\ufeff")


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
