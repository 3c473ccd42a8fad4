"""A quotation: what a directive asks for, and the lines that are proven to be it, or why they cannot be shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from .blob import FileKey, LockedFile
from .diagnostics import Unavailable
from .directive import Directive
from .lines import Ranges, Segment
from .lock import LockedRegion
from .selection import Selection
from .sources import Pin


@dataclass(frozen=True, slots=True)
class Quotation:
    """Lines that are proven to be what the author committed; ``segments`` is None when the bytes cannot be had."""

    directive: Directive
    pin: Pin
    file: LockedFile
    ranges: Ranges
    hl: frozenset[int]
    segments: tuple[Segment, ...] | None
    source: tuple[str, ...] = field(default=(), repr=False)
    """All lines of the file, for a lexer that must know what stands above."""
    missing: Unavailable | None = None
    public: FileKey | None = None
    """The file where readers find it; None when it is nowhere: not published, or not committed."""
    license_file: str = ""
    """The path of its license, where there is one."""
    named: Selection | None = None
    """What names the lines; None where they are counted."""
    region: LockedRegion | None = None
    commit: str = ""
    """Of lines of the working tree: the commit that has them at these numbers; "" when the one checked out has not."""
    """Where lines of the working tree stood when they were accepted."""

    @property
    def shift(self) -> int:
        """By how many lines they moved since."""
        return self.ranges[0].first - self.region.ranges[0].first if self.region else 0

    @property
    def text(self) -> str:
        """The lines as they are shown, each with an LF; "" when the bytes cannot be had."""
        return "".join(f"{line}\n" for segment in self.segments or () for line in segment.lines)

    @property
    def whole(self) -> bool:
        """Whether the whole file is meant, however long it is."""
        return self.directive.ranges is None and not self.named

    @property
    def abridged(self) -> bool:
        """Whether lines were left out between the parts."""
        return len(self.ranges) > 1

    @property
    def indent(self) -> str:
        """The white space that was taken off the beginning of every line."""
        for segment in self.segments or ():
            for number, line in enumerate(segment.lines, segment.first):
                if line.strip():
                    whole = self.source[number - 1]
                    return whole[: len(whole) - len(line)]
        return ""

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return self.file.key.path.rpartition("/")[2]
