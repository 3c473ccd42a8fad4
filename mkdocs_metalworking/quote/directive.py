r"""The excerpt directive.

``<< excerpt owner/name@sha:path#L84-85,L91-107 hl=84 title="The budget" >>``, alone on its line.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from .diagnostics import MetalworkingError
from .lines import RangeProblem, Ranges, format_ranges, parse_ranges
from .repo import Repo, clone_url

OPENING = re.compile(r"<<[ \t]*excerpt(?=[ \t>]|$)")
LINE = re.compile(r"^[ \t]*<<[ \t]*excerpt(?:[ \t].*)?$")
OPTIONS = ("title", "lang", "hl", "dedent", "first", "last", "search", "collapse")
_SHA = re.compile(r"[0-9a-f]{7,40}|[0-9a-f]{64}")
_BLANKS = re.compile(r"[ \t]+")
_COMMIT = re.compile(r"([^@\s]*)(@?)([^:\s]*)(:?)")
_PATH = re.compile(r"([^#\s]*)(?:#(\S*))?")
_WORD = re.compile(r"\S*")
_NAME = re.compile(r"[A-Za-z_-]+")
_EQUALS = re.compile(r"=")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_REF = re.compile(r"\w[\w./-]*", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_EXAMPLE = "<< excerpt owner/name@1a2b3c4:path/file.metal#L10-20 >>"


class GrammarProblem(MetalworkingError):
    """A directive that cannot be read."""

    def __init__(self, message: str, hint: str = f"the form is {_EXAMPLE}") -> None:
        super().__init__("grammar", message, hint)


@dataclass(frozen=True, slots=True)
class Directive:
    """A parsed directive. ``ranges`` is None for the whole file; ``search`` None for the site's setting."""

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

    def __str__(self) -> str:
        path = f'"{self.path}"' if re.search(r'[\s#"]', self.path) else self.path
        fragment = f"#{format_ranges(self.ranges)}" if self.ranges else ""
        return f"<< excerpt {self.repo}@{self.sha}:{path}{fragment} >>"


class _Scanner:
    """Reads quoted and bare words from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

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
    text = text.strip()
    opening = OPENING.match(text)
    if opening is None:
        raise GrammarProblem(f"not an excerpt directive: {text[:60]}")
    if not text.endswith(">>"):
        raise GrammarProblem(f"the directive is not closed: {text[:80]}", "end the line with >>")
    scanner = _Scanner(text[opening.end() : -2])
    scanner.skip(_BLANKS)
    target = _target(scanner)
    return Directive(**target, **_options(scanner))  # type: ignore[arg-type]


def _target(scanner: _Scanner) -> dict[str, object]:
    repo, at, sha, colon = scanner.match(_COMMIT).groups()
    if not repo or not at:
        raise GrammarProblem("the directive names no repository and commit" if not repo else f"{repo!r} has no @commit")
    try:
        Repo.named(repo)
    except MetalworkingError as problem:
        raise GrammarProblem(problem.diagnostic.message, problem.diagnostic.hint) from None
    check_sha(repo, sha)
    if not colon:
        raise GrammarProblem(f"{repo}@{sha} names no file", f"write {repo}@{sha}:path/to/file#L1-9")
    path = scanner.quoted()
    bare, fragment = scanner.match(_PATH).groups()
    if path is None:
        path = bare
    elif bare:
        raise GrammarProblem(f"unexpected {bare[:30]!r} after the file name", "close the path's quotation at its end")
    check_path(path)
    ranges = None if fragment is None else parse_ranges(fragment)
    if scanner.rest and not scanner.skip(_BLANKS):
        raise GrammarProblem(
            f"unexpected {scanner.rest[:30]!r} after the file name", 'quote a path with spaces or #: "…"'
        )
    return {"repo": repo, "sha": sha, "path": path, "ranges": ranges}


def check_sha(repo: str, sha: str) -> None:
    """Raise GrammarProblem unless *sha* is a commit id or a prefix of at least 7 digits."""
    if _SHA.fullmatch(sha):
        return
    if re.fullmatch(r"[0-9A-Fa-f]{7,64}", sha) and sha != sha.lower():
        raise GrammarProblem(f"commit {sha} has capital letters", f"write {sha.lower()}")
    if re.fullmatch(r"[0-9a-f]{1,6}", sha):
        raise GrammarProblem(f"commit {sha!r} is too short", "write at least 7 digits")
    if re.fullmatch(r"[0-9a-f]{41,}", sha):
        raise GrammarProblem(f"commit {sha[:12]}… has {len(sha)} digits", "a commit id has 40 or 64")
    raise GrammarProblem(
        f"{sha!r} is a branch or tag; a quotation needs a commit",
        # What is pasted into a shell must be a name and nothing else.
        f"git ls-remote {clone_url(repo)} {sha if _REF.fullmatch(sha) else 'HEAD'} prints it; pin it in sources.yml",
    )


def check_path(path: str) -> None:
    """Raise GrammarProblem unless *path* is a plain relative path as git writes it."""
    parts = path.split("/")
    if not path:
        raise GrammarProblem("the directive names no file", "write owner/name@commit:path/to/file")
    if path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path):
        raise GrammarProblem(f"{path!r} is an absolute path", "write it from the repository's root")
    if "\\" in path:
        raise GrammarProblem(f"{path!r} has a backslash", "write / between folders")
    if ".." in parts or "." in parts or "" in parts:
        raise GrammarProblem(f"{path!r} is not a plain path", "no ., .. or empty parts")
    if _CONTROL.search(path):
        raise GrammarProblem(f"{path!r} has a control character", "such a file is not quoted")


def _options(scanner: _Scanner) -> dict[str, object]:
    found: dict[str, object] = {}
    while scanner.rest.strip():
        name = scanner.skip(_NAME)
        if not name:
            raise GrammarProblem(f"cannot read {scanner.rest.strip()[:40]!r}", "options are written name=value")
        if name not in OPTIONS:
            close = difflib.get_close_matches(name, OPTIONS, 1)
            raise GrammarProblem(
                f"unknown option {name!r}", f"did you mean {close[0]}?" if close else f"known: {', '.join(OPTIONS)}"
            )
        if name in found:
            raise GrammarProblem(f"option {name} is given twice", "keep one")
        value: str | None = None
        if scanner.skip(_EQUALS):
            value = scanner.quoted()
            if value is None:
                value = scanner.skip(_WORD)
        found[name] = _value(name, value)
        if scanner.rest and not scanner.skip(_BLANKS):
            raise GrammarProblem(f"unexpected {scanner.rest[:30]!r} after {name}", 'quote a value with spaces: "…"')
    return found


def _value(name: str, value: str | None) -> object:
    if name == "collapse":
        if value not in (None, "on", "off"):
            raise GrammarProblem(f"collapse={value}", "write collapse alone")
        return value != "off"
    if not value:
        raise GrammarProblem(f"option {name} is empty", f"write {name}=… or leave it out")
    if name == "hl":
        try:
            return parse_ranges(value, what="hl", ordered=False)
        except RangeProblem as problem:
            raise GrammarProblem(problem.diagnostic.message, "write source lines: hl=84,91-93") from problem
    if name == "dedent":
        if value in ("auto", "none"):
            return value
        if value.isdecimal() and value.isascii():
            return int(value)
        raise GrammarProblem(f"dedent={value}", "write dedent=auto, dedent=none or a number")
    if name == "search":
        if value not in ("on", "off"):
            raise GrammarProblem(f"search={value}", "write search=off to keep the code out of the search")
        return value == "on"
    if name == "lang" and not re.fullmatch(r"[\w+#.-]+", value):
        raise GrammarProblem(f"lang={value}", "write a Pygments alias, such as metal or cpp")
    return value
