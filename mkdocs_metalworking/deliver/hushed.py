"""What the HTTP libraries would log of our requests: addresses whole, with what in path and query may be a password."""

from __future__ import annotations

import logging

from .addresses import ROUTE

_LIBRARIES = ("requests", "urllib3")


class _Hush(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002  # the library's own signature
        """Let nothing through while a request of ours is made in this thread; others speak as before."""
        return ROUTE.get() is None


_HUSH = _Hush()


def hush() -> None:
    """Keep the loggers of the libraries silent about our requests. It may be called again, as they make more."""
    for name in list(logging.Logger.manager.loggerDict):
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_HUSH)  # once: a filter that is there is not added again
