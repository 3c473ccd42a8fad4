"""A program in a terminal of its own: keys go in, and the screen is what a person would see."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

SIZE = (30, 150)
"""Rows and columns."""


class Terminal:
    """Runs *command*; what it prints is kept as a recording (asciicast, version 2) in the file *record*."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str], record: Path) -> None:
        self.screen = pyte.Screen(SIZE[1], SIZE[0])
        self._stream = pyte.ByteStream(self.screen)
        self._record = record.open("w", encoding="utf-8")
        self._record.write(json.dumps({"version": 2, "width": SIZE[1], "height": SIZE[0]}) + "\n")
        self._began = time.monotonic()
        self._fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        env = {**os.environ, "TERM": "xterm", **env}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, seen: str | Callable[[str], bool], limit: float = 60) -> str:
        """Read what comes until the screen has *seen*; the clock only ends what hangs."""
        check = (lambda text: seen in text) if isinstance(seen, str) else seen
        end = time.monotonic() + limit
        while not check(self.text()):
            if time.monotonic() > end:
                raise AssertionError(f"not seen: {seen}\n{self.text()}")
            self._read(0.05)
        while self._read(0.05):  # what is on its way belongs to the same picture
            pass
        return self.text()

    def _read(self, wait: float) -> bool:
        if not select.select([self._fd], [], [], wait)[0]:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            return False
        self._stream.feed(data)
        told = [round(time.monotonic() - self._began, 3), "o", data.decode("utf-8", "replace")]
        self._record.write(json.dumps(told) + "\n")
        return bool(data)

    def close(self) -> None:
        self._record.close()
        self._process.terminate()
        self._process.wait(10)
        os.close(self._fd)
