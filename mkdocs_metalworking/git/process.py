"""A program run within bounds: of time, of what it may say, of the files that it writes and of its memory."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from .interrupts import held_back
from .room import Room

_STDERR_KEPT = 64 << 10
_LOOK = 0.2
"""Seconds until a thread sees that it is to stop, or that a folder is full."""


_running: set[subprocess.Popen[bytes]] = set()
"""What ``run`` has started and not seen the end of."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a child may cost: bytes of output, bytes a file, bytes of memory. The last two are held on Linux only."""

    output: int = 64 << 20
    file: int = 2 << 30
    memory: int = 4 << 30


@dataclass(frozen=True, slots=True)
class Done:
    """How a child ended; of its complaints the last are kept."""

    code: int
    stdout: bytes
    stderr: bytes


class Stopped(Exception):
    """Somebody asked for the end of what runs in several threads, of which Ctrl-C reaches the first alone."""


class TooMuchSaid(Exception):
    """The child wrote more to its standard output than it was allowed."""


class TooMuchWritten(Exception):
    """The child's room is full."""


def run(
    command: Sequence[str],
    *,
    stdin: bytes,
    env: Mapping[str, str],
    timeout: float,
    allowance: Allowance,
    stop: threading.Event | None = None,
    inherited: Sequence[int] = (),
    room: Room | None = None,
) -> Done:
    """Run *command* to its end; when it does not end well, all that it started ends with it.

    It is handed the *inherited* file descriptors, and holds what they hold. It is ended when *room* is full.

    Raises OSError when it cannot be started, subprocess.TimeoutExpired after *timeout* seconds, TooMuchSaid,
    TooMuchWritten, and Stopped once *stop* is set.
    """
    process: subprocess.Popen[bytes] | None = None
    ears: list[threading.Thread] = []
    stdout, stderr = bytearray(), bytearray()
    said_too_much = threading.Event()

    def hush() -> None:
        said_too_much.set()
        if process is not None:
            _kill(process)

    try:
        # It is in a group of its own, which can be ended as a whole, and which no signal of the terminal reaches: one
        # that nobody knows of would go on alone, and fill a folder that is gone.
        with held_back():
            process = subprocess.Popen(
                waiting(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                start_new_session=True,
                pass_fds=inherited,
            )
            _running.add(process)
        hold(process, allowance)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        ears += [
            threading.Thread(target=_listen, args=(process.stdout, stdout, allowance.output, hush), daemon=True),
            threading.Thread(target=_listen, args=(process.stderr, stderr, _STDERR_KEPT, None), daemon=True),
        ]
        for ear in ears:
            ear.start()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(stdin)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        code = _wait(process, timeout, stop, room)
    except BaseException:  # a timeout, or a signal
        if process is not None:
            _end(process)
        raise
    finally:
        if process is not None:
            _running.discard(process)
        for ear in ears:
            if ear.ident is not None:
                ear.join(5)
        for stream in (process.stdin, process.stdout, process.stderr) if process is not None else ():
            if stream is not None:
                with contextlib.suppress(OSError):  # what was never written
                    stream.close()
    if said_too_much.is_set():
        raise TooMuchSaid
    return Done(code, bytes(stdout), bytes(stderr))


def end_all() -> None:
    """End what runs in any thread, with all that it started: for a process that is about to end at once."""
    for process in list(_running):
        if process.returncode is None:
            _kill(process)


def _wait(process: subprocess.Popen[bytes], timeout: float, stop: threading.Event | None, room: Room | None) -> int:
    if stop is None and room is None:
        return process.wait(timeout)
    end = time.monotonic() + timeout
    while stop is None or not stop.is_set():
        try:
            code = process.wait(min(_LOOK, max(end - time.monotonic(), 0)))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                raise
            if room is not None and room.full():
                raise TooMuchWritten from None
        else:
            return code
    raise Stopped


def _listen(stream: IO[bytes], kept: bytearray, most: int, too_much: Callable[[], None] | None) -> None:
    with contextlib.suppress(OSError, ValueError):  # closed under us
        while piece := os.read(stream.fileno(), 1 << 16):
            kept += piece
            if len(kept) > most:
                if too_much is not None:
                    return too_much()
                del kept[: len(kept) - most]
    return None


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill all that was started, and take note of the end.

    Not by ``wait``: a Ctrl-C that comes in it between the taking of its lock and the ``try`` leaves the lock taken, and
    the next ``wait`` would have no end (CPython issue 74174).
    """
    _kill(process)
    if hasattr(os, "killpg"):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, 0)
        if process.returncode is None:
            process.returncode = -signal.SIGKILL
    else:
        process.wait()


_SHELL = "/bin/sh"


def waiting(command: Sequence[str]) -> Sequence[str]:
    """Return *command* so that it begins once *hold* has put its bounds on it, where there are such.

    It is the same process, which reads a line first: on a busy machine git would have written what it likes, and
    started others without bounds, before anybody got round to it.
    """
    if sys.platform != "linux" or not os.access(_SHELL, os.X_OK) or not os.access(command[0], os.X_OK):
        return command
    return [_SHELL, "-c", 'read -r begin && exec "$@"', _SHELL, *command]


def hold(process: subprocess.Popen[bytes], allowance: Allowance) -> None:
    """Put bounds on *process* and on what it will start: a server may send any pack, and a pack unpack to anything."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (allowance.file, allowance.file))
            resource.prlimit(process.pid, resource.RLIMIT_AS, (allowance.memory, allowance.memory))
    if isinstance(process.args, list) and process.args[0] == _SHELL and process.stdin is not None:
        with contextlib.suppress(OSError):  # it has ended
            process.stdin.write(b"\n")
            process.stdin.flush()
