"""Commands as ``python -m`` runs them, without a new start of Python for each: a warm process forks."""

from __future__ import annotations

import atexit
import functools
import io
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support import PATIENCE

ROOT = Path(__file__).resolve().parents[1]


class Zygote:
    """One forking process; commands run one after the other."""

    def __init__(self, **more: str) -> None:
        self.peak = 0
        """The most memory that any command took, in MiB."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "GIT_"))}
        env |= {"NO_MKDOCS_2_WARNING": "1", **more}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.zygote"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
        )
        assert self._process.stdout
        # Without a buffer: a command may be done before its pid is read, and a line in a buffer wakes nobody.
        self._out = io.FileIO(self._process.stdout.fileno(), closefd=False)
        assert self._out.readline() == b"ready\n"

    def start(self, order: dict[str, Any]) -> int:
        """Begin a command and return its pid; *wait* must follow."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(json.loads(self._out.readline())["pid"])

    def wait(self) -> int:
        """Return the exit code, negative for a signal."""
        if not select.select([self._out], [], [], PATIENCE)[0]:
            self._process.kill()
            raise subprocess.TimeoutExpired("a command of the forking process", PATIENCE)
        told = json.loads(self._out.readline())
        self.peak = int(told["peak"])
        return int(told["status"])

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        self._process.wait(PATIENCE)


@functools.cache
def _warm() -> Zygote:
    made = Zygote()
    atexit.register(made.close)
    return made


def python_m(
    module: str,
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    given: str = "",
    merged: bool = False,
    fresh: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m module arguments`` in *cwd* with *env* added to the environment, and *given* as its input.

    *merged* puts what it prints on its two streams into one. *fresh* starts a Python of its own, as does an *env* that
    a running one would not heed, and a system that cannot fork.
    """
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1", **(env or {})}
    if fresh or sys.platform != "linux" or any(name.startswith("PYTHON") for name in env or ()):
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=cwd,
            env=environment,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    order = {"module": module, "arguments": arguments, "cwd": str(cwd), "environment": environment}
    code, *said = run_by(_warm(), order, given, merged=merged)
    out, errors = (text.decode().replace("\r\n", "\n") for text in said)
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.CompletedProcess(command, code, out, None if merged else errors)


def run_by(zygote: Zygote, order: dict[str, Any], given: str = "", *, merged: bool = False) -> tuple[int, bytes, bytes]:
    """Run *order* with *given* as its input; return the exit code and what it wrote on both streams."""
    with tempfile.TemporaryDirectory() as folder:
        into, out, errors = (Path(folder, name) for name in ("in", "out", "out" if merged else "errors"))
        into.write_text(given, encoding="utf-8")
        zygote.start({**order, "stdin": str(into), "stdout": str(out), "stderr": str(errors)})
        return zygote.wait(), out.read_bytes(), errors.read_bytes()


def python_many(
    module: str, commands: Iterable[Sequence[str]], *, cwd: Path, env: Mapping[str, str]
) -> Iterator[tuple[int, bytes, bytes]]:
    """Run ``python -m module`` with each of *commands* as its arguments, in a Python that was started with *env*."""
    if sys.platform != "linux":
        for command in commands:
            whole = [sys.executable, "-m", module, *command]
            done = subprocess.run(whole, cwd=cwd, env={**os.environ, **env}, capture_output=True, timeout=PATIENCE)
            yield done.returncode, done.stdout, done.stderr
        return
    python = Zygote(**env)
    for command in commands:
        yield run_by(python, {"module": module, "arguments": list(command), "cwd": str(cwd)})
    python.close()
