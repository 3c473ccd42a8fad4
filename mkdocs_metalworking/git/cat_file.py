"""Reading a repository's objects by one ``git cat-file --batch``, within bounds of size and time."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
from typing import IO

from ..quote.blob import HEX_ID
from .command import Git, GitError, last_line
from .objects import METADATA_MAX, MissingObject, Oversized, is_object


class CatFile:
    """A ``git cat-file --batch`` that stays open. Thread-safe; started when first used, started again when it dies.

    One that does not answer within *timeout* seconds is ended, and not started again.
    """

    def __init__(self, git: Git, *, timeout: float = 30.0) -> None:
        self._git = git
        self._timeout = timeout
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._hung = False
        self.started = 0
        """How many processes were started so far."""

    def read(self, oid: str, *, kind: str = "blob", max_bytes: int = METADATA_MAX) -> bytes:
        """Return the content of object *oid*, which must be of *kind* and have at most *max_bytes*.

        Raises MissingObject, Oversized, or GitError for another kind, a process that keeps dying, or a timeout.
        """
        if not HEX_ID.match(oid):  # nothing else may reach a line of git's input
            raise GitError("unsafe-name", f"{oid[:70]!r} is not a full object id")
        with self._lock:
            try:
                return self._ask(oid, kind, max_bytes)
            except BrokenPipeError:
                self._stop()
            try:
                return self._ask(oid, kind, max_bytes)
            except BrokenPipeError:
                why = self._stop() or "git cat-file ended"
                raise MissingObject("object-missing", f"object {oid[:12]} cannot be read: {why}") from None

    def verified(self, oid: str, *, kind: str, max_bytes: int = METADATA_MAX) -> bytes:
        """Return what ``read`` returns, hashed again.

        Raises GitError ``damaged-object`` when the content is not what its id says, and whatever ``read`` raises.
        """
        data = self.read(oid, kind=kind, max_bytes=max_bytes)
        if not is_object(oid, kind, data):
            raise GitError("damaged-object", f"the repository's {kind} {oid[:12]} is damaged", "clone it again")
        return data

    def close(self) -> None:
        """End the process; may be called twice, and ``read`` starts a new one."""
        with self._lock:
            self._stop()

    def _ask(self, oid: str, kind: str, max_bytes: int) -> bytes:
        if self._hung:
            message = f"git cat-file did not answer within {self._timeout:g} seconds; not asked again"
            raise GitError("git-failed", message)
        process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        watchdog = threading.Timer(self._timeout, self._give_up, (process,))
        watchdog.daemon = True
        watchdog.start()
        try:
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline(4096)
            if not header.endswith(b"\n"):
                raise BrokenPipeError
            words = header.decode("ascii", "replace").split()
            if len(words) != 3:  # "missing", "ambiguous"
                raise MissingObject("object-missing", f"object {oid[:12]} is not in the repository")
            size = int(words[2])
            if words[1] != kind or size > max_bytes:
                self._stop()  # cheaper than reading to the end what nobody wants
                if words[1] != kind:
                    raise GitError("wrong-kind", f"object {oid[:12]} is a {words[1]}, not a {kind}")
                raise Oversized(size, max_bytes)
            data = process.stdout.read(size + 1)  # and the LF that ends it
            if len(data) != size + 1:
                raise BrokenPipeError
            return data[:-1]
        finally:
            watchdog.cancel()

    def _give_up(self, process: subprocess.Popen[bytes]) -> None:
        self._hung = True
        process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed in _stop)
        self._process = self._git.popen("cat-file", "--batch", stderr=self._stderr.fileno())
        self.started += 1
        return self._process

    def _stop(self) -> str:
        """End the process and return the last thing it complained of."""
        process, stderr, said = self._process, self._stderr, ""
        self._process = self._stderr = None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream:
                        stream.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            process.kill()
            process.wait()
        if stderr is not None:
            with stderr:
                stderr.seek(0)
                said = last_line(stderr.read(1 << 16))
        return said
