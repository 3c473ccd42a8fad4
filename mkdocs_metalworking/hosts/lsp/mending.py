"""Code actions: what a message tells an author to type, typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types as lsp

from ...markdown.tracking import Met
from ...quote.citations import Citation
from ...quote.directive import Directive, Span
from ...quote.mentions import Mention
from ...quote.own import own_key, selection_of
from ...quote.repo import SELF
from ...quote.selection import Selection
from ...quote.suggest import suggest_path
from ..edits import Edit
from ..pinning import with_reference
from .editing import Bench, written_path
from .paths import Trees
from .problems import Shown

LOCK = "metalworking.lock"
"""A command: repository, commit (or nothing), path, and the word of the lock for named lines (or nothing)."""
PIN = "metalworking.pin"
"""A command: repository, commit or the beginning of one."""
ACCEPT = "metalworking.accept"
"""A command: the path of a quoted file of the working tree."""
_ACCEPT = re.compile(r"metalworking accept (?P<path>.+?)(?: moves it)?")
_MEANT = re.compile(r"did you mean (?P<word>.+?)\?")
_UNKNOWN = re.compile(r"unknown (?:option|attribute) '?(?P<word>[\w-]+)")
_WRITE = re.compile(r"write (?P<word>[0-9a-f]{7,64}|[\w.-]+(?:/[\w.-]+)+)")


def actions(bench: Bench, trees: Trees, path: Path, shown: list[Shown]) -> Iterator[lsp.CodeAction]:
    """Yield what can be done about the problems *shown* on the page at *path*."""
    for one in shown:
        if one.candidate is not None:
            edit = (one.span, f"[={one.candidate.key}]")
            yield _edit(bench, path, one, f"Write [={one.candidate.key}]", edit)
        elif told := _ACCEPT.fullmatch(one.problem.hint):
            (quoted,) = shlex.split(told["path"])
            title = f"Accept the lines of {quoted} as they are now"
            yield _action(one, title, command=lsp.Command(title, ACCEPT, arguments=[quoted]))
        elif one.met is not None:
            yield from _of_mention(bench, trees, path, one, one.met)


def _of_mention(bench: Bench, trees: Trees, path: Path, one: Shown, met: Met) -> Iterator[lsp.CodeAction]:
    what, code = met.mention.what, one.problem.code
    meant = _MEANT.search(one.problem.hint)
    if code == "not-locked" and isinstance(what, Directive | Citation):
        yield from _unlocked(bench, trees, path, one, met, what)
    elif code == "not-pinned" and isinstance(what, Citation) and what.reference:
        if meant and (span := met.span("key")):
            yield _edit(bench, path, one, f"Cite {meant['word']}", (span, meant["word"]))
        yield from _add_reference(bench, one, what.reference)
    elif code == "not-pinned" and isinstance(what, Directive | Citation):
        yield from _unpinned(bench, path, one, met, what)
    elif code == "quantity" and meant and (span := met.span("key")):
        yield _edit(bench, path, one, f"Write {meant['word']}", (span, meant["word"]))
    elif code == "grammar" and (edit := _respelled(met, one)):
        yield _edit(bench, path, one, f"Write {edit[1]}", edit)


def _unlocked(
    bench: Bench, trees: Trees, path: Path, one: Shown, met: Met, what: Directive | Citation
) -> Iterator[lsp.CodeAction]:
    project = bench.desk.project
    pin = project.sources.pin(what.repo, what.sha)
    known = trees.paths(project, pin)
    near = suggest_path(what.path, known) if what.path not in known else ""
    if near and (span := met.span("path")):
        yield _edit(bench, path, one, f"Take the path {near}", (span, written_path(near)))
    if known and what.path not in known and not project.lock.files.keys() & {own_key(what.path)}:
        complete = len(known) > sum((key.repo, key.commit) == (pin.repo, pin.commit) for key in project.lock.files)
        if complete:
            return  # the commit has no such file
    selection: Selection | None = None
    if isinstance(what, Directive):
        working = pin.repo == SELF and not pin.commit
        selection = selection_of(what, working=working) if pin.repo == SELF else what.select
    arguments = [pin.repo, pin.commit, what.path, selection.format() if selection is not None else ""]
    title = f"Lock {what.path}{selection or ''}"
    yield _action(one, title, command=lsp.Command(title, LOCK, arguments=arguments))


def _unpinned(bench: Bench, path: Path, one: Shown, met: Met, what: Directive | Citation) -> Iterator[lsp.CodeAction]:
    sources = bench.desk.project.sources
    pins = sources.by_repo.get(what.repo, ())
    span = met.span("sha")
    fitting = [pin for pin in pins if pin.commit.startswith(what.sha)] or pins
    for pin in fitting:
        about = ", ".join(part for part in (pin.tag, pin.date) if part)
        if span is not None:
            mark = "" if what.sha else "@"
            title = f"Write the pinned commit {pin.short}{f' ({about})' if about else ''}"
            yield _edit(bench, path, one, title, (span, mark + pin.short))
    near = next((repo for repo in sources.by_repo if repo.lower() == what.repo.lower()), "")
    if not pins and near and (span := met.span("repo")):
        yield _edit(bench, path, one, f"Write {near}", (span, near))
    elif what.sha and what.repo != SELF and not any(pin.commit.startswith(what.sha) for pin in pins):
        title = f"Add {what.repo}@{what.sha[:7]} to {sources.path}"
        yield _action(one, title, command=lsp.Command(title, PIN, arguments=[what.repo, what.sha]))


def _add_reference(bench: Bench, one: Shown, key: str) -> Iterator[lsp.CodeAction]:
    path = bench.desk.project.settings.sources
    old = bench.desk.text(path)
    new = with_reference(old, key, path.name)
    if new is not None:
        title = f"Add an entry for {key} to {path.name}"
        yield _action(one, title, edit=bench.workspace_edit([(path, [smallest_edit(old, new)])]))


def _respelled(met: Met, one: Shown) -> Edit | None:
    """Return the edit that spells one word of a mention as the message says."""
    place, raw = met.place, met.mention.raw
    meant = _MEANT.search(one.problem.hint) or _WRITE.fullmatch(one.problem.hint)
    if place is None or meant is None:
        return None
    wrong = _UNKNOWN.search(one.problem.message)
    word = wrong["word"] if wrong else _capital(met.mention, meant["word"])
    at = re.search(rf"(?<![\w-]){re.escape(word)}(?=[=:\s])", raw) if word else None
    return ((place[0] + at.start(), place[0] + at.end()), meant["word"]) if at else None


def _capital(mention: Mention, lower: str) -> str:
    found = re.search(re.escape(lower), mention.raw, re.IGNORECASE)
    return found[0] if found else ""


def smallest_edit(old: str, new: str) -> Edit:
    """Return the one edit that makes *new* of *old*, with nothing in it that stays as it is."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return (start, len(old) - end), new[start : len(new) - end]


def _edit(bench: Bench, path: Path, one: Shown, title: str, edit: tuple[Span, str]) -> lsp.CodeAction:
    return _action(one, title, edit=bench.workspace_edit([(path, [edit])]))


def _action(
    one: Shown, title: str, *, edit: lsp.WorkspaceEdit | None = None, command: lsp.Command | None = None
) -> lsp.CodeAction:
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title, kind=kind, diagnostics=[one.as_lsp()], edit=edit, command=command)
