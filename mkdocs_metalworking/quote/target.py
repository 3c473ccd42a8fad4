"""What a directive or a citation points at: a commit and a path in it, each checked as far as its spelling goes."""

from __future__ import annotations

import re

from .diagnostics import MetalworkingError
from .repo import SELF, clone_url

_SHA = re.compile(r"[0-9a-f]{7,40}|[0-9a-f]{64}")
_REF = re.compile(r"\w[\w./-]*", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_EXAMPLE = "<< excerpt owner/name@1a2b3c4:path/file.metal#L10-20 >>"


class GrammarProblem(MetalworkingError):
    """A directive that cannot be read."""

    def __init__(self, message: str, hint: str = f"the form is {_EXAMPLE}") -> None:
        super().__init__("grammar", message, hint)


def check_sha(repo: str, sha: str, *, colon: bool = True) -> None:
    """Raise GrammarProblem unless *sha* is a commit id or a prefix of at least 7 digits.

    *colon* tells whether one stood behind it, as it must before a path.
    """
    if _SHA.fullmatch(sha):
        return
    glued = None if colon else re.match(r"([0-9a-f]{7,64})[^0-9a-zA-Z](?=.)", sha)
    if glued is not None:
        rest = sha[glued.end() :] if sha[glued.end(1)] in "/#;,." else sha[glued.end(1) :]
        raise GrammarProblem(f"no colon between commit {glued[1]} and the file", f"write {repo}@{glued[1]}:{rest[:80]}")
    if re.fullmatch(r"[0-9A-Fa-f]{7,64}", sha) and sha != sha.lower():
        raise GrammarProblem(f"commit {sha} has capital letters", f"write {sha.lower()}")
    if re.fullmatch(r"[0-9a-f]{1,6}", sha):
        raise GrammarProblem(f"commit {sha!r} is too short", "write at least 7 digits")
    if re.fullmatch(r"[0-9a-f]{41,}", sha):
        raise GrammarProblem(f"commit {sha[:12]}… has {len(sha)} digits", "a commit id has 40 or 64")
    if repo == SELF:
        name = sha if _REF.fullmatch(sha) else "HEAD"
        hint = f"git rev-parse {name} prints it; self: alone takes what {SELF}: in sources.yml says"
        raise GrammarProblem(f"{sha!r} is a branch or tag; a quotation needs a commit", hint)
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
