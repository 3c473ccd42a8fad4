"""MkDocs' own messages, kept from the terminal while a command works."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator


@contextlib.contextmanager
def quiet(*, streams: bool = False) -> Iterator[list[str]]:
    """Keep MkDocs from printing, with *streams* whatever else prints too; yields the list that gets MkDocs' errors."""
    told: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    logger = logging.getLogger("mkdocs")
    collect, propagate = Collect(logging.ERROR), logger.propagate
    logger.addHandler(collect)
    logger.propagate = False
    try:
        with contextlib.ExitStack() as stack:
            if streams:
                stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            yield told
    finally:
        logger.removeHandler(collect)
        logger.propagate = propagate
