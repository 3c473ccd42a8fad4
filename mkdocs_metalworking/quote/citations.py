"""Citations: ``[@key]`` for a reference, ``[@owner/name:path#L10-20]`` for lines of a pinned repository.

Text after a comma is the qualification: ``[@key, M1 and M2, inferred]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .blob import FileKey
from .diagnostics import MetalworkingError
from .directive import Span, Spans, quoted_path
from .lines import Ranges, close_ranges, format_ranges, parse_ranges
from .lock import Lock
from .repo import SELF
from .sources import Pin, Reference, Sources
from .target import check_path

_QUOTED = r'"(?:[^"\\\[\]\n]|\\[^\n])*"'
_PATH_IN_MARKS = r'[^\[\],\s":]+:"(?:[^"\\\n]|\\[^\n])*"'
# No [ inside, but in one path in quotation marks, which those of the next end: else a page full of "[@a" would be read
# to its end from every one of them.
CITATION = re.compile(
    rf'\[@(?P<target>(?:{_PATH_IN_MARKS}|{_QUOTED}|[^\[\],\s"])(?:{_QUOTED}|[^\[\],"])*)(?:,(?P<note>[^\[\]]*))?\]'
)
_PART = r"L[0-9]+(?:-L?[0-9]*)?"
_RANGES = rf"{_PART}(?:\s*,\s*{_PART})*"
_REPO = r"(?P<repo>[^@:#\s/\"]+(?:/[^@:#\s/\"]+)+)(?:@(?P<sha>[0-9a-f]+))?:"
_PATH = r'(?:"(?P<quoted>(?:[^"\\]|\\.)+)"|(?P<path>[^#,"]+))'
_LINES = re.compile(rf"{_REPO}{_PATH}(?:#(?P<ranges>{_RANGES}|[^\s,]+))?\s*(?:,|$)")
_OWN = re.compile(rf"\s*{SELF}(?:@[^:\s]*)?:\"?(?P<path>[^#\"]*)")
_FRAGMENT = re.compile(r"[^\s,]#L[0-9]")


@dataclass(frozen=True, slots=True)
class Citation:
    """A parsed citation: *reference* or *repo* and *path* are set, never both."""

    reference: str = ""
    repo: str = ""
    sha: str = ""
    path: str = ""
    ranges: Ranges | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CitedReference:
    """A citation of something in the reference list."""

    reference: Reference
    note: str


@dataclass(frozen=True, slots=True)
class CitedLines:
    """A citation of lines that exist; ``ranges`` is None for the whole file."""

    pin: Pin
    key: FileKey
    ranges: Ranges | None
    note: str

    @property
    def label(self) -> str:
        """File name and lines, for people."""
        return self.key.path + (f", {format_ranges(self.ranges)}" if self.ranges else "")


def parse_citation(text: str) -> Citation:
    """Read what stands between ``[@`` and ``]``. Raises MetalworkingError (``citation``)."""
    return read_citation(text)[0]


def read_citation(text: str) -> tuple[Citation, Spans]:
    """Read what stands between ``[@`` and ``]``; returns where its parts stand, too.

    Ranges have commas as the qualification has (``path#L1,L5, M1``): what reads as lines belongs to the target. The
    span of a commit that is not written is empty and stands behind the name. Raises MetalworkingError (``citation``).
    """
    target, _, note = text.partition(",")
    if _OWN.match(target) and set("/#") & set(target):
        raise _own_cited(target)
    if "/" not in target or target.lstrip().startswith('"'):
        return Citation(reference=target.strip(), note=re.sub(r"\n +", "\n", note.strip())), {"key": _stripped(target)}
    start = len(text) - len(text.lstrip())
    match = _LINES.match(text, start)
    if match is None:
        raise MetalworkingError(
            "citation", f"cannot read citation [@{target.strip()[:80]}]", "write [@key] or [@owner/name:path#L10-20]"
        )
    path = re.sub(r"\\([\"\\])", r"\1", match["quoted"]) if match["quoted"] else match["path"].strip()
    check_path(path)
    note = re.sub(r"\n +", "\n", text[match.end() :].strip())
    if match["ranges"] is None and _FRAGMENT.search(note.partition(",")[0]):
        whole = f"{path},{note.partition('#')[0]}"
        raise MetalworkingError(
            "citation",
            f"a comma ends the path of a citation: [@{text.strip()[:80]}]",
            f"put the path in quotation marks: {quoted_path(whole[:80])}",
        )
    ranges = parse_ranges(re.sub(r"\s", "", match["ranges"])) if match["ranges"] else None
    path_at = "quoted" if match["quoted"] else "path"
    spans = {
        "repo": match.span("repo"),
        "sha": match.span("sha") if match["sha"] else (match.end("repo"), match.end("repo")),
        "path": match.span(path_at),
    }
    if ranges is not None:
        spans["ranges"] = match.span("ranges")
    return Citation(repo=match["repo"], sha=match["sha"] or "", path=path, ranges=ranges, note=note), spans


def _stripped(text: str) -> Span:
    """Return where *text* stands without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return start, start + len(text.strip())


def _own_cited(target: str) -> MetalworkingError:
    found = _OWN.match(target)
    path = found["path"].strip()[:80] if found else ""
    return MetalworkingError(
        "citation",
        f"lines of {SELF} are quoted, not cited: [@{target.strip()[:80]}]",
        f"write << excerpt {SELF}:{path or 'path/to/file'}#symbol=NAME >> on a line of its own, or link to the file",
    )


def find_targets(text: str, repo: str) -> Iterator[tuple[int, Citation, Spans]]:
    """Yield every place in a data file that names lines of *repo*: a citation's target without its brackets.

    Spans and offset are of *text*; the target ends where its quotation marks, its brackets or its line do.
    """
    pattern = rf"(?<![\w./@-]){re.escape(repo)}(?:@[0-9a-f]{{7,64}})?:[^\s\"',#\]]+(?:#{_RANGES})?"
    for match in re.finditer(pattern, text):
        try:
            citation, spans = read_citation(match[0])
        except MetalworkingError:
            continue
        yield match.start(), citation, {k: (a + match.start(), b + match.start()) for k, (a, b) in spans.items()}


def resolve_citation(citation: Citation, sources: Sources, lock: Lock) -> CitedReference | CitedLines:
    """Check a citation against sources.yml and sources.lock; needs no bytes, since the lock has the line count.

    Raises NotPinned, NotLocked or RangeProblem.
    """
    if citation.reference:
        if citation.reference not in sources.by_key and _OWN.match(citation.reference):
            raise _own_cited(citation.reference)
        return CitedReference(sources.reference(citation.reference), citation.note)
    pin = sources.pin(citation.repo, citation.sha)
    key = FileKey(pin.repo, pin.commit, citation.path)
    ranges = citation.ranges
    locked = lock.file(key)
    if ranges is not None:
        ranges = close_ranges(ranges, locked.lines, citation.path)
    return CitedLines(pin, key, ranges, citation.note)
