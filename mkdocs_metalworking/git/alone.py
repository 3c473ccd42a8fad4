"""Files that say who writes: one command at a time at a site or a clone, and none beside a git that was left there."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ..quote.diagnostics import MetalworkingError

if sys.platform == "win32":
    from filelock import FileLock, Timeout
else:
    import fcntl

_PAUSE = 0.05
"""Seconds between two looks at a file that another command holds."""
_NO_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}
"""What a file system says that knows no locks: nobody is held off there."""


@contextlib.contextmanager
def exclusive(path: Path, timeout: float) -> Iterator[None]:
    """Hold the file at *path*, which is there only while somebody holds it, and is opened through no link.

    Raises TimeoutError when another holds it for *timeout* seconds, and OSError where it cannot be made.
    """
    if sys.platform == "win32":  # where a file that is open cannot be taken away
        guard = FileLock(path)
        try:
            guard.acquire(timeout=timeout)
        except Timeout:
            raise TimeoutError from None
        try:
            yield
        finally:
            guard.release()
    else:
        descriptor = _acquired(path, time.monotonic() + timeout)
        try:
            yield
        finally:
            # While it is held: after that it could be another command's. Who waits for it looks whether it is there.
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(descriptor)


if sys.platform != "win32":

    def _acquired(path: Path, end: float) -> int:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            try:
                if _locks(descriptor) and _is_at(path, descriptor):
                    found, descriptor = descriptor, -1
                    return found
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
            if time.monotonic() >= end:
                raise TimeoutError
            time.sleep(_PAUSE)

    def _locks(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return True

    def _is_at(path: Path, descriptor: int) -> bool:
        """Tell whether the open file is still that at *path*: who held it before took it away."""
        try:
            return os.path.samestat(os.stat(path), os.fstat(descriptor))
        except FileNotFoundError:
            return False


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold off every other command at the same clone: what a git that was killed locked there is nobody's then.

    Raises MetalworkingError (``clone``) when there is one. Where nothing can be written nobody is held off.
    """
    with contextlib.ExitStack() as stack:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(exclusive(lock, 0))
        except TimeoutError:
            raise MetalworkingError("clone", "another command clones it", "wait for it") from None
        except OSError:
            pass
        yield


@contextlib.contextmanager
def held(git_dir: Path) -> Iterator[tuple[int, ...]]:
    """Hold *git_dir* by the file descriptors that are returned: with each git that has them it is held until that ends.

    By kill -9 no program ends what it started, and the lock of a command ends with the command. Raises
    MetalworkingError (``clone``) where such a git goes on. Where a system has no such lock, nothing is held.
    """
    if sys.platform == "win32":
        yield ()
    else:
        descriptor = os.open(git_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not _locks(descriptor):
                message = "a git goes on in it whose command was killed"
                raise MetalworkingError("clone", message, "wait for it, or end it")
            yield (descriptor,)
        finally:
            os.close(descriptor)
