"""A repository's name, and everything that follows from it. Nothing else takes a name apart.

``owner/name`` is on GitHub. A first part with a dot is a host, and the rest is the path on it, as deep as that host
allows: ``codeberg.org/owner/name``, ``gitlab.com/group/sub/name``, ``git.example.org:8443/name``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from .diagnostics import MetalworkingError

_GITHUB = "github.com"
SELF = "self"
"""The name of the repository that the site itself lies in; no other one has a name without a slash."""
NAME = re.compile(
    r"(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]{1,5})?)"
    r"(?P<path>/[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.][A-Za-z0-9_.-]*)*)"
    r"|(?P<owner>[A-Za-z0-9][A-Za-z0-9_-]*)/(?P<name>[A-Za-z0-9_.][A-Za-z0-9_.-]*)"
)
"""The form of a name; the schema of sources.yml has the same one."""
# One part of a path that a folder, a git directory or an address takes for something else; Windows leaves out dots at
# the end of a name.
_RESERVED = re.compile(r"\.|\.git\.*", re.IGNORECASE)
RAW_TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        _GITHUB: "https://raw.githubusercontent.com/{repo}/{commit}/{path}",
        "gitlab.com": "https://gitlab.com/{repo}/-/raw/{commit}/{path}",
        "codeberg.org": "https://codeberg.org/{repo}/raw/commit/{commit}/{path}",
    }
)
"""Where each host serves files by commit, from the hosts' own pages."""
# GitHub and GitLab render these by default, and then lines cannot be linked to; ?plain=1 shows the text.
_RENDERED = (
    *(".md", ".markdown", ".mdown", ".rst", ".org", ".adoc", ".asciidoc", ".textile", ".pod"),
    *(".ipynb", ".svg", ".csv", ".tsv", ".geojson", ".stl"),
)
# Host's style: folder of files at a commit, query that shows a rendered file as text, between two line numbers.
_FORMS = {"github": ("blob", "?plain=1", "-L"), "gitlab": ("-/blob", "?plain=1", "-")}
_FORGEJO = ("src/commit", "?display=source", "-L")


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository by *host* (with its port) and *path* on it, such as ``owner/name``; made by ``Repo.named``."""

    host: str
    path: str
    name: str
    """As it is written: without a host for GitHub."""

    @staticmethod
    def named(name: str) -> Repo:
        """Take *name* apart. Raises MetalworkingError (``repo``) when it is no repository's name."""
        return _named(name)

    @property
    def page(self) -> str:
        """The address of its front page, from which git clones too."""
        return f"https://{self.host}/{self.path}"

    def below(self, base: str) -> str:
        """Return its address on a mirror of all hosts, whose addresses begin with *base*."""
        return f"{base}{self.host}/{self.path}"

    def folder(self, code_dir: Path) -> Path:
        """Return where its clone lies below *code_dir*: in the folders that its name spells."""
        return code_dir.joinpath(*self.name.split("/"))

    def raw(self, commit: str, path: str, templates: Mapping[str, str] = RAW_TEMPLATES) -> str | None:
        """Return the address of the bytes of *path* at *commit*; None for a host that is not in *templates*."""
        template = templates.get(self.host)
        return template and template.format(repo=self.path, commit=commit, path=quote(path, safe="/"))

    def permalink(self, commit: str, path: str, first: int | None = None, last: int | None = None) -> str:
        """Return the address of lines *first* to *last* of *path* at *commit*, in the form of its host."""
        folder, as_text, to = _FORMS.get(self._style, _FORGEJO)
        query = as_text if path.lower().endswith(_RENDERED) else ""
        lines = "" if first is None else f"#L{first}" + (f"{to}{last}" if last not in (None, first) else "")
        return f"{self.page}/{folder}/{commit}/{quote(path, safe='/')}{query}{lines}"

    @property
    def _style(self) -> str:
        if self.host == _GITHUB:
            return "github"
        return "gitlab" if self.host.startswith("gitlab.") else "forgejo"


@lru_cache(maxsize=1024)
def _named(name: str) -> Repo:
    match = NAME.fullmatch(name)
    if match is None or ".." in name or any(_RESERVED.fullmatch(part) for part in name.split("/")):
        hint = "write owner/name, or host/owner/name"
        raise MetalworkingError("repo", f"{name[:100]!r} is not a repository", hint)
    return Repo(match["host"], match["path"][1:], name) if match["host"] else Repo(_GITHUB, name, name)


def is_name(name: str) -> bool:
    """Tell whether *name* is that of a repository, or ``self``."""
    try:
        return name == SELF or bool(_named(name))
    except MetalworkingError:
        return False


def clone_url(name: str) -> str:
    """Return what git fetches the repository *name* from. Raises MetalworkingError (``repo``)."""
    return Repo.named(name).page


def named_by(url: str) -> str:
    """Return the name of the repository whose front page or clone address is *url*; "" when it is none."""
    parts = urlsplit(url.strip())
    path = parts.path.strip("/").removesuffix(".git")
    try:
        host = parts.netloc.lower().removeprefix("www.")
        if parts.scheme not in ("http", "https") or "@" in host:
            return ""
        return Repo.named(path if host == _GITHUB else f"{host}/{path}").name
    except MetalworkingError:
        return ""


def nested(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each (outer, inner) of *names* of which one's folder would lie inside the other's.

    The tree of a repository is what somebody else committed: where another clone belongs, it may put anything.
    Capital letters and dots at a name's end make no difference on some file systems, so they make none here.
    """
    seen = {tuple(part.rstrip(".") for part in name.lower().split("/")): name for name in names}
    for parts, name in seen.items():
        for depth in range(1, len(parts)):
            if parts[:depth] in seen:
                yield seen[parts[:depth]], name
