"""What a build says: every problem once, then how much was quoted and from where."""

from __future__ import annotations

import logging
from collections import Counter

from mkdocs.exceptions import Abort

from ...quote.diagnostics import Diagnostic, Diagnostics, MetalworkingError, Severity
from ...quote.quotation import Quotation
from .reading import Reading


def report_problems(problems: Diagnostics, log: logging.Logger) -> int:
    """Log every warning and error once; return how many errors there are."""
    for problem in problems.of(Severity.WARNING):
        log.warning(str(problem))
    errors = problems.of(Severity.ERROR)
    for problem in errors:
        log.error(str(problem))
    return len(errors)


def stop_at(errors: int) -> None:
    """Raise Abort when there are *errors*."""
    if errors:
        raise Abort(f"metalworking: {errors} error{'s' if errors > 1 else ''}; nothing wrong may be published.")


def report_elsewhere(reading: Reading, log: logging.Logger) -> int:
    """Log what is wrong with text that belongs to no page and that no page was told of; return how many errors."""
    known = {(problem.code, problem.message) for problem in reading.diagnostics}
    found = Diagnostics(p for p in reading.conversions.problems if (p.code, p.message) not in known)
    return report_problems(found, log)


def report_summary(reading: Reading, log: logging.Logger, *, strict: bool) -> None:
    """Say how many excerpts were quoted, from where, and which are cards. Raises Abort for cards when *strict*."""
    quotations = [q for context in reading.pages.values() for q in context.quotations]
    if not quotations:
        return
    shown = [q for q in quotations if q.missing is None]
    via = Counter(_via(q, reading) for q in shown)
    repos = len({q.pin.repo for q in shown})
    sources = ", ".join(f"{count} from {name}" for name, count in sorted(via.items(), key=lambda item: -item[1]))
    log.info(
        "Quoted %d of %d excerpts, %d repositories%s",
        len(shown),
        len(quotations),
        repos,
        f": {sources}" if sources else "",
    )
    missing = reading.diagnostics.of(Severity.UNAVAILABLE)
    if missing:
        log.warning(_cards(missing, [q for q in quotations if q.missing is not None]))
        for problem in missing:
            log.debug(str(problem))
    if missing and strict:
        cards = f"{len(missing)} excerpt{'s' if len(missing) > 1 else ''}"
        raise Abort(f"metalworking: {cards} could not be read, in strict mode.")


def _via(quotation: Quotation, reading: Reading) -> str:
    if quotation.region is not None:
        return "the working tree"
    try:
        return reading.project.resolver.via(quotation.file)
    except MetalworkingError:
        return "memory"  # under serve: shown as before, and gone from where it came meanwhile


def _cards(problems: list[Diagnostic], cards: list[Quotation]) -> str:
    count = Counter(q.pin.repo for q in cards)
    repos = ", ".join(f"{repo} ({n})" for repo, n in sorted(count.items()))
    words = "1 excerpt is a card" if len(cards) == 1 else f"{len(cards)} excerpts are cards"
    return f"{words}, read at home: {repos}. {problems[0]}. With a network, metalworking fetch brings them."
