"""A repository at its home, asked with ``git ls-remote``: where its branches and tags stand, and whether it moved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ..quote.blob import HEX_ID
from ..quote.diagnostics import MetalworkingError, Unavailable, redact
from .command import Git, GitError, plain_arguments
from .fetch import REDIRECTED, SCHEMES
from .scratch import Scratch

_TARGET = re.compile(r"recv header: location: (\S+)", re.IGNORECASE)
_PATTERNS = ("HEAD", "refs/heads/*", "refs/tags/*")


class Moved(Unavailable):
    """The server sends git to another address, *target*, which is told and not followed."""

    def __init__(self, url: str, target: str) -> None:
        self.target = redact(target).partition("/info/refs")[0].rstrip("/")
        message = f"{redact(url)}: the repository is now at {self.target}"
        super().__init__("moved", message, "change repo: in its entry")


@dataclass(frozen=True, slots=True)
class Upstream:
    """What the remote answered. ``refs`` are its branches and tags, annotated tags peeled to their commits."""

    url: str
    head: str
    refs: Mapping[str, str]

    def commit(self, name: str) -> tuple[str, str]:
        """Return the commit that *name* means, and the tag when it is one: a full id, a tag, a branch, or HEAD.

        Raises MetalworkingError (``bad-commit``) for anything else.
        """
        if HEX_ID.match(name):
            return name, ""
        for ref in (name, f"refs/tags/{name}", f"refs/heads/{name}"):
            if ref in self.refs:
                return self.refs[ref], name if ref.startswith("refs/tags/") else ""
        begun = {oid for oid in self.refs.values() if len(name) >= 7 and oid.startswith(name)}
        if len(begun) == 1:
            return begun.pop(), ""
        raise MetalworkingError(
            "bad-commit",
            f"{redact(self.url)}: {name!r} is no full commit id, and no branch or tag there",
            "write all 40 or 64 digits",
        )


def ask_upstream(url: str, *, timeout: float = 60.0) -> Upstream:
    """Ask the repository at *url* for its branches and tags; *timeout* is in seconds.

    Raises Moved when it is elsewhere, Unavailable when it cannot be asked.
    """
    scheme = urlsplit(url).scheme
    if scheme not in SCHEMES:
        raise Unavailable("unavailable", f"{redact(url)}: only {', '.join(sorted(SCHEMES))} are asked")
    with Scratch() as scratch:
        git = Git(Path(scratch) / "none.git", timeout=timeout)
        asked = ("ls-remote", "--", *plain_arguments([url]), *_PATTERNS)
        try:
            said = git.run(*asked, protocol=scheme)
        except GitError as error:
            message = redact(error.diagnostic.message)
            if REDIRECTED.search(message) and (target := _TARGET.search(git.trace(*asked, protocol=scheme))):
                raise Moved(url, target[1]) from None
            raise Unavailable("unavailable", f"{redact(url)}: {message}") from None
    refs: dict[str, str] = {}
    for line in said.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        if HEX_ID.match(oid):
            refs[name.removesuffix("^{}")] = oid  # a peeled tag comes after the tag itself
    if "HEAD" not in refs:
        raise Unavailable("unavailable", f"{redact(url)}: it has no HEAD: an empty repository")
    return Upstream(url, refs["HEAD"], refs)
