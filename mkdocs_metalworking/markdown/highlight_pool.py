"""Lines colored ahead of need, in processes of their own: lexing is most of a first build, and each excerpt is alone.

Nothing depends on it. What no worker brings, the build makes itself: there is one core, a process cannot be started or
was killed, or a lexer takes too long. What a worker brings is checked like what a cache gives.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LEAST = 1_500
"""Lines to color below which the start of a process costs more than it saves."""
_BATCH = 250
"""Lines that are sent at once."""
_PATIENCE = 20.0
"""Seconds that a build waits for a batch before it makes the lines itself."""
_PROGRAM = "from mkdocs_metalworking.markdown.highlight_worker import main; main()"


@dataclass(frozen=True, slots=True)
class Job:
    """What a lexer needs: its name, the lines, and those above them that it must have read."""

    alias: str
    lines: tuple[str, ...]
    lead: tuple[str, ...] = ()


def cores() -> int:
    """Return how many processors this process may use."""
    found = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(found)


class HighlightPool:
    """Up to *workers* processes that color what is asked for *ahead*; fewer than two are none."""

    def __init__(self, workers: int | None = None, *, least: int = _LEAST) -> None:
        self._workers = cores() if workers is None else workers
        self._least = least
        self._changed = threading.Condition()
        self._queue: OrderedDict[str, Job] = OrderedDict()
        self._lines = 0
        self._away: set[str] = set()
        self._done: dict[str, list[str]] = {}
        self.processes: list[subprocess.Popen[bytes]] = []
        """The workers, once there is enough to do."""
        self._threads: list[threading.Thread] = []

    def ahead(self, name: str, job: Job) -> None:
        """Ask for the lines of *job*, which *take* is to give under *name*; the first many start the workers."""
        if self._workers < 2:
            return
        with self._changed:
            if name in self._queue or name in self._away or name in self._done:
                return
            self._queue[name] = job
            self._lines += len(job.lines)
            start = not self._threads and self._lines >= self._least
            self._changed.notify()
        if start:
            self._start()

    def take(self, name: str) -> list[str] | None:
        """Return the colored lines, waiting for those that are being made; None when the caller has to make them."""
        with self._changed:
            if self._queue.pop(name, None) is not None:
                return None  # nobody has begun: at once is sooner
            self._changed.wait_for(lambda: name not in self._away, _PATIENCE)
            self._away.discard(name)
            return self._done.pop(name, None)

    @property
    def waiting(self) -> int:
        """How many jobs no worker has begun."""
        with self._changed:
            return len(self._queue) if self.processes else 0

    def close(self) -> None:
        """End the workers and forget what nobody took; the pool may be used again."""
        with self._changed:
            self._queue.clear()
            self._away.clear()
            self._done.clear()
            self._lines = 0
            processes, self.processes = self.processes, []
            threads, self._threads = self._threads, []
            self._changed.notify_all()
        for process in processes:
            process.kill()
        for thread in threads:
            thread.join()

    def _start(self) -> None:
        package = str(Path(__file__).parents[2])
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))}
        for _ in range(self._workers):
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _PROGRAM],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=env,
                )
            except OSError:
                break
            thread = threading.Thread(target=self._serve, args=(process,), name="metalworking-highlight", daemon=True)
            self.processes.append(process)
            self._threads.append(thread)
            thread.start()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Give one worker batch after batch until the pool is closed or the worker is gone."""
        with contextlib.suppress(BrokenPipeError), process:  # closing sends once more what a dead worker did not take
            while batch := self._next(process):
                answers: list[Any] = []
                with contextlib.suppress(OSError, ValueError):
                    answers = _ask(process, list(batch.values()))
                with self._changed:
                    known = [name for name in batch if name in self._away]  # else given up or closed meanwhile
                    self._away.difference_update(known)
                    found = dict(zip(batch, answers, strict=False))
                    self._done.update((name, found[name]) for name in known if found.get(name))
                    self._changed.notify_all()
                if len(answers) != len(batch):
                    break
            process.kill()

    def _next(self, process: subprocess.Popen[bytes]) -> dict[str, Job]:
        """Return the next batch, waiting for one; nothing when *process* is no longer of this pool."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or process not in self.processes)
            batch: dict[str, Job] = {}
            lines = 0
            while self._queue and process in self.processes and lines < _BATCH:
                name, job = self._queue.popitem(last=False)
                batch[name] = job
                lines += len(job.lines)
            self._away.update(batch)
            return batch


def _ask(process: subprocess.Popen[bytes], jobs: list[Job]) -> list[Any]:
    """Return a worker's answers. Raises OSError when it is gone, ValueError when it says nothing sensible."""
    assert process.stdin is not None
    assert process.stdout is not None
    sent = json.dumps([(job.alias, job.lines, job.lead) for job in jobs])
    process.stdin.write(sent.encode() + b"\n")
    process.stdin.flush()
    answers = json.loads(process.stdout.readline())
    return answers if isinstance(answers, list) else []
