"""All that can be known of a site without the network: what ``check`` tells, and an editor while a page is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...deliver.project import Project
from ...deliver.proofs import Verdict, judge
from ...quote.diagnostics import Diagnostic, Diagnostics, Location, Severity
from ...quote.licenses import license_name
from ...quote.quantity_candidates import Candidate
from .hints import Hints
from .nav import nav_problems
from .reading import Reading


@dataclass
class Findings:
    """What a check finds. *hints* have the number that each is about, if it is about one."""

    problems: Diagnostics
    hints: dict[Diagnostic, Candidate | None] = field(default_factory=dict)


class Check:
    """Checks one project; what does not hang on the pages is asked once."""

    def __init__(self, project: Project, root: Path) -> None:
        self._project = project
        self._hints = Hints(project.quantities, root)
        self._verdict: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        """What lies on this machine says of the lock."""
        if self._verdict is None:
            self._verdict = judge(self._project.lock.files.values(), self._project.proofs)
        return self._verdict

    def of(self, reading: Reading) -> Findings:
        """Return what is wrong with a *reading* whose pages were all read, and with the files that it read from."""
        project, where = self._project, Location(self._project.lock.path)
        problems = Diagnostics(reading.diagnostics)
        problems.extend(_licenses(project))
        problems.extend(problem.diagnostic.at(where) for problem in self.verdict.wrong.values())
        of_numbers = self._hints.of(reading.pages, reading.terms.rows)
        return Findings(problems, {**dict.fromkeys(problems.of(Severity.HINT)), **of_numbers})


def finish(reading: Reading) -> Diagnostics:
    """End a *reading*, for the first time or again, and return what is wrong with it and with its nav."""
    reading.finish()
    return with_nav(reading)


def with_nav(reading: Reading) -> Diagnostics:
    """Return what is wrong with a *reading* that is finished, and with its nav."""
    reading.diagnostics.extend(nav_problems(reading.config, reading.files, reading.label))
    return reading.diagnostics


def _licenses(project: Project) -> Iterator[Diagnostic]:
    """Warn of captions that link to a license file that the commit does not have, while it has another one."""
    shown = {(key.repo, key.commit) for key, quoted in project.quoter.wanted.items() if quoted}
    for pin in project.sources.pins:
        if (pin.repo, pin.commit) not in shown or not pin.license:
            continue
        found = project.proofs.look_up(pin.repo, pin.commit, pin.license_file)
        if found is not None and not found[0] and (name := license_name(found[1])):
            message = f"{pin.repo}@{pin.short} has no {pin.license_file}, to which captions link"
            yield Diagnostic(Severity.WARNING, "license", message, f"write license_file: {name}", pin.location)
