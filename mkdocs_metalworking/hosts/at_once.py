"""The end of a server by a signal: at once, with all that it started and all that it made for the time being."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Callable
from types import FrameType

from ..git.interrupts import ENDING
from ..git.process import end_all


def end_at_once(close: Callable[[], None] = lambda: None) -> None:
    """Let each signal that ends a program *close* what is open and end this one, whatever its threads wait for."""

    def end(number: int, _: FrameType | None) -> None:
        close()
        end_all()
        atexit._run_exitfuncs()  # folders for the time being go
        os._exit(128 + number)  # a thread that waits for the other side would keep the process

    for number in ENDING:
        signal.signal(number, end)
