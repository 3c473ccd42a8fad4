"""Signals that end a program: heard, so that nothing stays behind, and held back where something would."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C; ``kill``, ``timeout`` and a job that is canceled; a terminal that is closed, which Windows has otherwise."""


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Let every such signal end what runs in this block as Ctrl-C does (``hear``)."""
    taken = hear()
    try:
        yield
    finally:
        leave(taken)


def hear() -> list[int]:
    """Let every such signal end this program as Ctrl-C does, with all that it started: by SystemExit.

    One that is ignored (``nohup``), or that the program around us listens to itself, stays as it is. Returns those that
    do not, which are for ``leave``.
    """
    if threading.current_thread() is not threading.main_thread():
        return []
    taken = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _end)
    return taken


def leave(taken: list[int]) -> None:
    """Let the signals that ``hear`` returned do again what they do of themselves."""
    for number in taken:
        signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Let a signal that comes in this block count when it ends. Python interrupts no other thread than the first."""
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                stack.enter_context(_held_back(number))
        yield


@contextlib.contextmanager
def _held_back(number: int) -> Iterator[None]:
    before = signal.getsignal(number)
    if before is None or before is signal.SIG_IGN:
        yield
        return
    came: list[FrameType | None] = []
    signal.signal(number, lambda _number, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(number, before)
        if came and callable(before):
            before(number, came[0])
        elif came:
            signal.raise_signal(number)
