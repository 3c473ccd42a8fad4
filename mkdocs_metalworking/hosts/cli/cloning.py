"""``clone``: the pinned repositories under code/, for browsing and for the checkout transport. fetch.sh calls it."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from ...deliver.project import Settings
from ...git.clone import clone as clone_one
from ...quote.diagnostics import MetalworkingError, printable
from ...quote.repo import Repo
from ...quote.sources import Pin
from ...quote.sources_file import load_sources
from ..files import read_text
from .common import open_site, stop_at
from .program import Program, pass_program


@click.command()
@click.argument("words", nargs=-1)
@click.option("-j", "--jobs", default=4, show_default=True, envvar="JOBS", type=click.IntRange(1, 64))
@pass_program
def clone(program: Program, words: tuple[str, ...], jobs: int) -> None:
    """Clone every pinned repository, or those whose name holds one of WORDS, at its commit into code/.

    What is there is kept, what broke off goes on.
    """
    settings = _settings(program)
    sources, problems = load_sources(read_text(settings.sources, settings), settings.sources.name)
    stop_at(problems)
    chosen = [pin for pin in sources.pins if not words or any(word in pin.repo for word in words)]
    if not chosen:
        click.echo(f"nothing in {settings.sources.name} matches: {' '.join(words)}", err=True)
        sys.exit(1)
    count = len(chosen)
    click.echo(f"{count} repositor{'y' if count == 1 else 'ies'}, {jobs} at a time, into {settings.code.name}/")
    stop = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            done = list(pool.map(lambda pin: _one(program, pin, settings, stop), _one_a_folder(chosen)))
        finally:  # of a Ctrl-C no other thread hears, and an hour may pass until git is done
            stop.set()
    if not all(done):
        click.echo("Some could not be fetched (see FAILED above). Run it again to go on with the rest.", err=True)
        sys.exit(1)


def _settings(program: Program) -> Settings:
    """Return where things are; without a mkdocs.yml, where they are by default."""
    if program.config_file or Path("mkdocs.yml").exists():
        return open_site(program).settings(offline=False)
    return Settings.of({})


def _one_a_folder(pins: list[Pin]) -> list[Pin]:
    """Return the first pin of each repository: a clone shows one commit."""
    return list({pin.repo: pin for pin in reversed(pins)}.values())[::-1]


def _one(program: Program, pin: Pin, settings: Settings, stop: threading.Event) -> bool:
    repo, base = Repo.named(pin.repo), os.environ.get("METALWORKING_GIT_BASE")
    url = repo.below(base) if base else program.url(pin.repo)
    try:
        told = clone_one(repo, pin.commit, url, settings.code, premises=settings.premises, paths=pin.paths, stop=stop)
    except (MetalworkingError, OSError) as error:
        if stop.is_set():
            return False
        reason = str(error) if isinstance(error, MetalworkingError) else f"{error.strerror}"
        click.echo(printable(f"FAILED   {pin.repo}@{pin.short}: {reason}"), err=True)
        return False
    what, _, remark = told.partition(" ")
    click.echo(f"{what:8} {pin.repo}@{pin.short}{f' {remark}' if remark else ''}")
    return True
