"""Lines colored ahead, in other processes: the same lines, whatever becomes of those processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mkdocs_metalworking.markdown.highlight import highlight_lines, lexer_named
from mkdocs_metalworking.markdown.highlight_cache import DiskLineCache
from mkdocs_metalworking.markdown.highlight_pool import HighlightPool, Job
from tests.support import PATIENCE

JOBS = {
    f"{alias}-{number}": Job(alias, (f"int a{number} = {number}; // <b> & 'c'", "", "\u202e x"), ("/* open", "*/"))
    for number in range(40)
    for alias in ("metal", "c", "python")
}
RIGHT = {name: highlight_lines(job.lines, lexer_named(job.alias), lead=job.lead) for name, job in JOBS.items()}


@pytest.mark.parametrize("workers", [2, 16])
def test_workers_bring_the_lines_that_are_made_here(workers: int) -> None:
    pool = HighlightPool(workers, least=1)
    for name, job in JOBS.items():
        pool.ahead(name, job)
    deadline = time.monotonic() + 60
    while pool.waiting and time.monotonic() < deadline:
        time.sleep(0.01)  # what nobody has begun is not waited for
    found = {name: pool.take(name) for name in JOBS}
    pool.close()
    assert found == RIGHT


def test_one_core_and_few_lines_start_nothing() -> None:
    for pool in (HighlightPool(1, least=1), HighlightPool(2, least=10_000)):
        for name, job in JOBS.items():
            pool.ahead(name, job)
        assert pool.processes == []
        assert pool.take(next(iter(JOBS))) is None
        pool.close()


def test_a_pool_can_be_used_again_and_leaves_no_process() -> None:
    pool = HighlightPool(2, least=1)
    for _ in range(2):
        for name, job in JOBS.items():
            pool.ahead(name, job)
        started = [process.pid for process in pool.processes]
        assert len(started) == 2
        pool.close()
        for pid in started:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


def test_a_worker_that_is_killed_costs_nothing_but_its_work(tmp_path: Path) -> None:
    pool = HighlightPool(2, least=1)
    cache = DiskLineCache(tmp_path / "lines.sqlite", "v", pool=pool)
    for name, job in JOBS.items():
        cache.ahead(name, lambda job=job: job)  # type: ignore[misc]
        for process in pool.processes:
            process.kill()  # or it has ended and been waited for
    assert {name: cache(name, lambda name=name: RIGHT[name]) for name in JOBS} == RIGHT  # type: ignore[misc]
    cache.close()


def test_a_worker_that_died_with_nothing_to_do_is_no_error() -> None:
    """Its thread asks it once more, and ends without an exception, which pytest would report."""
    pool = HighlightPool(2, least=1)
    first, second = list(JOBS)[:2]
    pool.ahead(first, JOBS[first])
    while pool.waiting:
        time.sleep(0.01)
    assert pool.take(first) in (RIGHT[first], None)
    threads = list(pool._threads)
    for process in pool.processes:
        process.kill()
        process.wait()
    for name in list(JOBS)[1:]:
        pool.ahead(name, JOBS[name])
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert pool.take(second) is None
    pool.close()


def test_a_job_that_no_lexer_can_do_in_time_is_left_to_the_caller() -> None:
    pool = HighlightPool(2, least=1)
    pool.ahead("long", Job("c", ("x" * 30_000,)))
    pool.ahead("none", Job("no such lexer", ("x",)))
    while pool.waiting:
        time.sleep(0.01)
    assert pool.take("long") is None
    assert pool.take("none") is None
    pool.close()


def test_what_is_kept_is_not_made_again(tmp_path: Path) -> None:
    pool = HighlightPool(2, least=1)
    cache = DiskLineCache(tmp_path / "lines.sqlite", "v", pool=pool)
    for name in JOBS:
        cache(name, lambda name=name: RIGHT[name])  # type: ignore[misc]
    cache.flush()
    asked: list[str] = []
    for name, job in JOBS.items():
        cache.ahead(name, lambda name=name, job=job: asked.append(name) or job)  # type: ignore[func-returns-value,misc]
    assert asked == []
    assert pool.processes == []
    cache.close()
