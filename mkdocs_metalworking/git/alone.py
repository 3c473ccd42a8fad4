"""One command at a clone at a time, and none beside a git that an earlier one left there."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from ..quote.diagnostics import MetalworkingError


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold off every other command at the same clone: what a git that was killed locked there is nobody's then.

    Raises MetalworkingError (``clone``) when there is one. Where nothing can be written nobody is held off.
    """
    guard = FileLock(lock)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        guard.acquire(timeout=0)
    except Timeout:
        raise MetalworkingError("clone", "another command clones it", "wait for it") from None
    except OSError:
        pass
    try:
        yield
    finally:
        if guard.is_locked:
            with contextlib.suppress(OSError):  # while it is held: after that it could be another command's
                lock.unlink()
            guard.release()


@contextlib.contextmanager
def held(git_dir: Path) -> Iterator[tuple[int, ...]]:
    """Hold *git_dir* by the file descriptors that are returned: with each git that has them it is held until that ends.

    By kill -9 no program ends what it started, and the lock of a command ends with the command. Raises
    MetalworkingError (``clone``) where such a git goes on. Where a system has no such lock, nothing is held.
    """
    if sys.platform == "win32":
        yield ()
        return
    import fcntl

    descriptor = os.open(git_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "a git goes on in it whose command was killed"
            raise MetalworkingError("clone", message, "wait for it, or end it") from None
        except OSError:
            pass
        yield (descriptor,)
    finally:
        os.close(descriptor)
