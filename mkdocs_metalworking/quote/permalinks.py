"""Addresses of exact lines at exact commits, both ways."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from .blob import FileKey
from .diagnostics import MetalworkingError
from .lines import LineRange, Ranges, parse_ranges
from .repo import Repo


def permalink(key: FileKey, lines: LineRange | None = None) -> str:
    """Return the address of *lines* of *key* at its full commit, in the form of its host."""
    first, last = (lines.first, lines.last) if lines else (None, None)
    return Repo.named(key.repo).permalink(key.commit, key.path, first, last)


@dataclass(frozen=True, slots=True)
class Permalink:
    """A pasted address, taken apart; ``sha`` may be a branch name, which is for the caller to refuse."""

    repo: str
    sha: str
    path: str
    ranges: Ranges | None


_FORMS = (
    re.compile(r"/(?P<name>[^/]+/[^/]+)/(?:blob|blame|raw)/(?P<sha>[^/]+)/(?P<path>.+)"),
    re.compile(r"/(?P<name>.+?)/-/(?:blob|blame|raw)/(?P<sha>[^/]+)/(?P<path>.+)"),
    re.compile(r"/(?P<name>[^/]+/[^/]+)/(?:src|raw)/(?:commit|branch|tag)/(?P<sha>[^/]+)/(?P<path>.+)"),
)


def parse_permalink(url: str) -> Permalink:
    """Take a GitHub, GitLab or Codeberg address apart; columns in the fragment are dropped.

    Raises MetalworkingError (``permalink``) for anything else.
    """
    refusal = MetalworkingError(
        "permalink",
        f"not a permalink: {url.strip()[:120]}",
        "on the file's page press y, select the lines, copy the address",
    )
    try:
        parts = urlsplit(url.strip())
    except ValueError:  # a host in brackets that is no address
        raise refusal from None
    host = parts.netloc.lower().removeprefix("www.")
    if host == "raw.githubusercontent.com":
        match = re.fullmatch(r"/(?P<name>[^/]+/[^/]+)/(?P<sha>[^/]+)/(?P<path>.+)", parts.path)
        host = "github.com"
    else:
        match = next((m for form in _FORMS if (m := form.fullmatch(parts.path))), None)
    if parts.scheme not in ("http", "https") or "@" in host or match is None:
        raise refusal
    name = unquote(match["name"])
    fragment = re.sub(r"(L[0-9]+)C[0-9]+", r"\1", unquote(parts.fragment))
    ranges = parse_ranges(fragment) if re.fullmatch(r"L[0-9].*", fragment) else None
    try:
        repo = Repo.named(name if host == "github.com" else f"{host}/{name}").name
    except MetalworkingError:
        raise refusal from None
    return Permalink(repo, unquote(match["sha"]), unquote(match["path"]), ranges)
