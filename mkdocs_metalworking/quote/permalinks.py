"""Addresses of exact lines at exact commits, both ways."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

from .blob import FileKey
from .diagnostics import MetalworkingError
from .lines import LineRange, Ranges, parse_ranges

# GitHub renders these by default, and then lines cannot be linked to; ?plain=1 shows the text.
_RENDERED = (
    ".md",
    ".markdown",
    ".mdown",
    ".rst",
    ".org",
    ".adoc",
    ".asciidoc",
    ".textile",
    ".pod",
    ".ipynb",
    ".svg",
    ".csv",
    ".tsv",
    ".geojson",
    ".stl",
)


def split_repo(repo: str) -> tuple[str, str]:
    """Return the host and the path of a repository name; the host is github.com when none is named."""
    head, _, rest = repo.partition("/")
    return (head, rest) if "." in head or ":" in head else ("github.com", repo)


def repo_url(repo: str) -> str:
    """Return the address of a repository's front page."""
    return "https://{}/{}".format(*split_repo(repo))


def _style(host: str) -> str:
    if host.startswith("gitlab.") or host == "gitlab.com":
        return "gitlab"
    return "github" if host == "github.com" else "forgejo"


def permalink(key: FileKey, lines: LineRange | None = None) -> str:
    """Return the address of *lines* of *key* at its full commit, in the form of its host."""
    base, style = _base(key)
    if lines is None:
        return base
    fragment = f"#L{lines.first}"
    if lines.last is not None and lines.last != lines.first:
        fragment += f"-{lines.last}" if style == "gitlab" else f"-L{lines.last}"
    return base + fragment


@lru_cache(maxsize=1024)
def _base(key: FileKey) -> tuple[str, str]:
    host, name = split_repo(key.repo)
    style = _style(host)
    path = quote(key.path, safe="/")
    between = {"github": "blob", "gitlab": "-/blob", "forgejo": "src/commit"}[style]
    query = "?plain=1" if style != "forgejo" and key.path.lower().endswith(_RENDERED) else ""
    if style == "forgejo" and key.path.lower().endswith(_RENDERED):
        query = "?display=source"
    return f"https://{host}/{name}/{between}/{key.commit}/{path}{query}", style


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
    repo = name if host == "github.com" else f"{host}/{name}"
    return Permalink(repo, unquote(match["sha"]), unquote(match["path"]), ranges)
