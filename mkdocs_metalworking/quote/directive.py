r"""The excerpt directive.

``<< excerpt owner/name@sha:path#L84-85,L91-107 hl=84 title="The budget" >>``, alone on its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .diagnostics import MetalworkingError
from .lines import RangeProblem, Ranges, format_ranges, parse_ranges
from .repo import SELF, Repo
from .selection import NAMED, Selection
from .suggest import did_you_mean, nearest
from .target import GrammarProblem, check_path, check_sha

Span = tuple[int, int]
"""Where something stands in a text: the offsets of its start and of its end."""
Spans = dict[str, Span]
"""Where the parts of a mention stand: ``repo``, ``sha``, ``path``, ``ranges``, options, a ``key``."""

OPENING = re.compile(r"<<[ \t]*excerpt(?=[ \t>]|$)")
OPTIONS = ("title", "lang", "hl", "dedent", "first", "last", "search", "collapse")
_BLANKS = re.compile(r"[ \t]+")
_COMMIT = re.compile(r"([^@\s]*)(@?)([^:\s]*)(:?)")
_OWN = re.compile(rf"({SELF})(?=[:@ \t]|\Z)(@?)([^:\s]*)(:?)")
_PATH = re.compile(rf"([^#\s]*)(?:#(?:(?P<named>{'|'.join(NAMED)})=|(\S*)))?")
_SYMBOL = re.compile(r"(?:[\w$~]+(?:::|\.))*(?:operator\S+|[\w$~]+)")
_WORD = re.compile(r"\S*")
_NAME = re.compile(r"[A-Za-z_-]+")
_EQUALS = re.compile(r"=")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Directive:
    """A parsed directive. ``search`` is None for the site's setting.

    Neither ``ranges`` nor ``select`` means the whole file. ``repo`` is ``self`` for the site's own repository, with an
    empty ``sha`` for what sources.yml says of it.
    """

    repo: str
    sha: str
    path: str
    ranges: Ranges | None = None
    title: str = ""
    lang: str = ""
    hl: Ranges = ()
    dedent: str | int = "auto"
    first: str = ""
    last: str = ""
    search: bool | None = None
    collapse: bool = False
    select: Selection | None = None

    def __str__(self) -> str:
        path = quoted_path(self.path) if re.search(r'[\s#"]', self.path) else self.path
        fragment = f"#{format_ranges(self.ranges)}" if self.ranges else str(self.select or "")
        at = f"@{self.sha}" if self.sha else ""
        return f"<< excerpt {self.repo}{at}:{path}{fragment} >>"


def quoted_path(path: str) -> str:
    """Return *path* in quotation marks, as a directive or a citation takes it."""
    return '"' + path.replace('"', '\\"') + '"'


class _Scanner:
    """Reads quoted and bare words from left to right; ``spans`` tells where the parts stood."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.spans: Spans = {}

    def match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Go on behind *pattern*, which may be empty but always matches."""
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]

    def quoted(self) -> str | None:
        r"""Read ``"..."`` with ``\"`` and ``\\`` escapes; None when no quotation begins here."""
        if self.text[self.at : self.at + 1] != '"':
            return None
        match = _QUOTED.match(self.text, self.at)
        if match is None:
            raise GrammarProblem(f"a quotation is not closed: {self.text[self.at :][:40]}", 'write "…" with both marks')
        self.at = match.end()
        return re.sub(r"\\([\"\\])", r"\1", match[1])

    @property
    def rest(self) -> str:
        return self.text[self.at :]


def parse_directive(text: str) -> Directive:
    """Read one directive line.

    Raises GrammarProblem or RangeProblem with what to write instead.
    """
    return read_directive(text.strip())[0]


def read_directive(text: str) -> tuple[Directive, Spans]:
    """Read a directive that *text* is from its first character to its last; returns where its parts stand, too."""
    opening = OPENING.match(text)
    if opening is None:
        raise GrammarProblem(f"not an excerpt directive: {text[:60]}")
    if not text.endswith(">>"):
        raise GrammarProblem(f"the directive is not closed: {text[:80]}", "end the line with >>")
    scanner = _Scanner(text[:-2], opening.end())
    scanner.skip(_BLANKS)
    target = _target(scanner)
    return Directive(**target, **_options(scanner)), scanner.spans  # type: ignore[arg-type]


def _target(scanner: _Scanner) -> dict[str, object]:
    own = _OWN.match(scanner.text, scanner.at) is not None
    match = scanner.match(_OWN if own else _COMMIT)
    repo, at, sha, colon = match.groups()
    scanner.spans |= {"repo": match.span(1), "sha": match.span(3)}
    if own:
        if at:
            check_sha(repo, sha, colon=bool(colon))
        if not colon:
            raise GrammarProblem(f"{repo} names no file", f"write {SELF}:path/to/file#symbol=NAME")
        return {"repo": repo, "sha": sha, **_file(scanner)}
    if not repo or not at:
        raise GrammarProblem("the directive names no repository and commit" if not repo else f"{repo!r} has no @commit")
    try:
        Repo.named(repo)
    except MetalworkingError as problem:
        raise GrammarProblem(problem.diagnostic.message, problem.diagnostic.hint) from None
    check_sha(repo, sha, colon=bool(colon))
    if not colon:
        raise GrammarProblem(f"{repo}@{sha} names no file", f"write {repo}@{sha}:path/to/file#L1-9")
    return {"repo": repo, "sha": sha, **_file(scanner)}


def _file(scanner: _Scanner) -> dict[str, object]:
    start = scanner.at
    path = scanner.quoted()
    match = scanner.match(_PATH)
    bare, named, fragment = match.groups()
    scanner.spans["path"] = (start, match.end(1))
    if path is None:
        path = bare
    elif bare:
        raise GrammarProblem(f"unexpected {bare[:30]!r} after the file name", "close the path's quotation at its end")
    check_path(path)
    word, equals, rest = (fragment or "").partition("=")
    if equals and (near := nearest(word, NAMED)):
        raise GrammarProblem(f"unknown #{word[:40]}=", f"did you mean #{near}={rest[:40]}?")
    ranges = None if fragment is None else parse_ranges(fragment)
    if ranges is not None:
        scanner.spans["ranges"] = match.span(3)
    select = _selection(scanner, named) if named else None
    if scanner.rest and not scanner.skip(_BLANKS):
        raise GrammarProblem(
            f"unexpected {scanner.rest[:30]!r} after the file name", 'quote a path with spaces or #: "…"'
        )
    return {"path": path, "ranges": ranges, "select": select}


def _selection(scanner: _Scanner, kind: str) -> Selection:
    name = scanner.quoted()
    if name is None:
        name = scanner.skip(_WORD)
    if not name.strip() or not name.isprintable():
        raise GrammarProblem(f"#{kind}= names no {kind}", f"write #{kind}=NAME")
    if kind == "symbol" and not _SYMBOL.fullmatch(name):
        raise GrammarProblem(f"{name[:40]!r} is no name of a symbol", "write #symbol=name or #symbol=Class.method")
    return Selection(kind, name)


def _options(scanner: _Scanner) -> dict[str, object]:
    found: dict[str, object] = {}
    while scanner.at < len(scanner.text) and scanner.rest.strip():
        name = scanner.skip(_NAME)
        if not name:
            raise GrammarProblem(f"cannot read {scanner.rest.strip()[:40]!r}", "options are written name=value")
        if name not in OPTIONS:
            raise GrammarProblem(
                f"unknown option {name[:40]!r}", did_you_mean(name, OPTIONS, f"known: {', '.join(OPTIONS)}")
            )
        if name in found:
            raise GrammarProblem(f"option {name} is given twice", "keep one")
        value: str | None = None
        if scanner.skip(_EQUALS):
            start = scanner.at
            value = scanner.quoted()
            if value is None:
                value = scanner.skip(_WORD)
            scanner.spans[name] = (start, scanner.at)
        found[name] = _value(name, value)
        if scanner.rest and not scanner.skip(_BLANKS):
            raise GrammarProblem(f"unexpected {scanner.rest[:30]!r} after {name}", 'quote a value with spaces: "…"')
    return found


def _value(name: str, value: str | None) -> object:
    if name == "collapse":
        if value not in (None, "on", "off"):
            raise GrammarProblem(f"collapse={value[:40]}", "write collapse alone")
        return value != "off"
    if not value:
        raise GrammarProblem(f"option {name} is empty", f"write {name}=… or leave it out")
    if name == "hl":
        try:
            ranges = parse_ranges(value, what="hl", ordered=False)
        except RangeProblem as problem:
            raise GrammarProblem(problem.diagnostic.message, "write source lines: hl=84,91-93") from problem
        if ranges[-1].last is None:
            raise GrammarProblem(f"hl={value} has no end", "name the last line too: hl=84,91-93")
        return ranges
    if name == "dedent":
        if value in ("auto", "none"):
            return value
        if value.isdecimal() and value.isascii() and len(value) < 10:
            return int(value)
        raise GrammarProblem(f"dedent={value[:40]}", "write dedent=auto, dedent=none or a number")
    if name == "search":
        if value not in ("on", "off"):
            raise GrammarProblem(f"search={value[:40]}", "write search=off to keep the code out of the search")
        return value == "on"
    if name == "lang" and not re.fullmatch(r"[\w+#.-]+", value):
        raise GrammarProblem(f"lang={value[:40]}", "write a Pygments alias, such as metal or cpp")
    return value
