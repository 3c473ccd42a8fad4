"""What ``check`` finds, at its places in the files, as an editor shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp

from ...markdown.tracking import Met
from ...quote.diagnostics import Diagnostic, Severity, printable
from ...quote.directive import Span
from ...quote.quantity_candidates import Candidate
from ..mkdocs.checking import Findings
from .editing import Bench
from .positions import Lines

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
"""What ``check`` prints. Code that cannot be had here is no fault of the page."""


@dataclass(frozen=True)
class Shown:
    """A problem where an editor shows it, with the mention or the number that it is about."""

    range: lsp.Range
    problem: Diagnostic
    span: Span
    met: Met | None = None
    candidate: Candidate | None = None

    def as_lsp(self) -> lsp.Diagnostic:
        """Return it for the editor."""
        problem = self.problem
        message = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
        severity = _SEVERITIES[problem.severity]
        return lsp.Diagnostic(self.range, printable(message), severity, code=problem.code, source="metalworking")


def shown_problems(bench: Bench, findings: Findings) -> dict[Path, list[Shown]]:
    """Return the problems of each file; files without any are not in it."""
    desk = bench.desk
    labels, lines = desk.labels(), dict[Path, Lines]()
    told: Mapping[Diagnostic, Candidate | None] = {**dict.fromkeys(findings.problems), **findings.hints}
    found: dict[Path, list[Shown]] = {}
    for problem, candidate in told.items():
        path = labels.get(problem.location.path)
        if problem.severity not in _SEVERITIES or path is None:
            continue
        if path not in lines:
            lines[path] = bench.lines(path)
        found.setdefault(path, []).extend(_places(bench, path, lines[path], problem, candidate))
    return found


def _places(
    bench: Bench, path: Path, lines: Lines, problem: Diagnostic, candidate: Candidate | None
) -> Iterator[Shown]:
    page = bench.page(path)
    mets = page.reported.get(problem, ()) if page is not None else ()
    placed = [(met, met.place) for met in mets if met.place is not None]
    for met, place in placed:
        if place is not None:
            yield Shown(lines.range(place), problem, place, met)
    if not placed:
        span = lines.of_line(problem.location.line)
        if candidate is not None:
            number = candidate.text.strip()
            at = lines.text.find(number, span[0], span[1])
            span = (at, at + len(number)) if at >= 0 else span
        yield Shown(lines.range(span), problem, span, candidate=candidate)
