"""The long versions of the tests of trust, and a table of what came out: ``make soak``.

Every section runs in a process of its own, which is how its memory is measured. Ends with 1 when anything was wrong.
``--quick`` runs each at a hundredth of its length, ``--share=4`` at a quarter; a section's name runs that one alone.
"""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARE = [argument for argument in sys.argv if re.fullmatch("--quick|--share=[1-9][0-9]*", argument)]
PART = int(SHARE[0].partition("=")[2] or 100) if SHARE else 1
PATIENCE = 6 * 3600
"""Seconds after which a section hangs: no machine is so busy that one takes longer."""
Row = dict[str, object]


def scaled(count: int) -> int:
    return max(3, count // PART)


def worlds(folder: Path) -> Row:
    from tests.trust.world import fast_folder, run_many

    count = scaled(120_000)
    tally = run_many(count, fast_folder(folder), first=1_000_000)
    kinds = ", ".join(f"{number:,} {name}" for name, number in tally.outcomes.most_common())
    return {
        "tried": count,
        "survived": tally.tried,
        "slowest": tally.slowest,
        "note": f"{kinds}; {tally.lines:,} lines",
    }


def structure(folder: Path) -> Row:
    from tests.structure.test_structure import run

    count = scaled(20_000)
    tally, failures = run(folder, count, first=1_000_000)
    kinds = ", ".join(f"{number:,} {name}" for name, number in tally.most_common())
    return {"tried": count, "survived": count - len(failures), "failed": "\n".join(failures[:3]), "note": kinds}


def saves(folder: Path) -> Row:
    from tests.structure.test_serve import run

    pages, count = max(30, scaled(400)), scaled(40)
    tally, failures = run(folder, pages, count, first=2_000_000)
    kinds = ", ".join(f"{number:,} {name}" for name, number in tally.most_common())
    tried = pages * count
    return {"tried": tried, "survived": tried - len(failures), "failed": "\n".join(failures[:3]), "note": kinds}


def archives(folder: Path) -> Row:
    from tests.trust.test_archives import try_archives

    count = scaled(40_000)
    told = try_archives(count, folder, first=1_000_000)
    return {
        "tried": count,
        "survived": sum(told.values()),
        "note": f"{told['read']:,} read, {told['refused']:,} refused",
    }


def kills(folder: Path) -> Row:
    return _strikes(folder, scaled(500), signal.SIGKILL)


def interrupts(folder: Path) -> Row:
    return _strikes(folder, scaled(60), signal.SIGINT)


def _strikes(folder: Path, count: int, how: int) -> Row:
    from tests.forked import Zygote
    from tests.trust.faults import Trial

    folder.chmod(0o755)
    zygote = Zygote()
    trial = Trial(folder / "trial", zygote, seed=how)
    try:
        for _ in trial.strikes(count, how):
            pass
    finally:
        zygote.close()
    found = trial.outcome
    notes = ", ".join(f"{number} {name}" for name, number in sorted(found.tried.items()))
    return {
        "tried": max(count, found.struck),
        "survived": found.struck,
        "wrong": found.wrong,
        "lost": found.lost,
        "memory": zygote.peak,
        "slowest": found.slowest,
        "note": notes,
    }


def parsers(_folder: Path) -> Row:
    examples = scaled(3_000)
    row = _pytest("tests/trust/test_parsers.py", "-k", "reason or html or odd_value", TRUST_EXAMPLES=str(examples))
    return {**row, "tried": examples * 11, "survived": examples * 11, "note": "hypothesis: eight parsers, whole pages"}


def growth(_folder: Path) -> Row:
    return {**_pytest("tests/trust/test_parsers.py", "-k", "not (reason or html or odd_value)"), "note": "sizes, depth"}


def files(name: str, note: str) -> Callable[[Path], Row]:
    return lambda _folder: {**_pytest(f"tests/trust/{name}", TRUST_LONG="1", TRUST_KILLS="3"), "note": note}


SECTIONS: dict[str, tuple[str, Callable[[Path], Row]]] = {
    "worlds": ("Source, lock, store, transports and caches tampered with", worlds),
    "kills": ("kill -9 in lock, fetch and build", kills),
    "interrupts": ("Ctrl-C in lock, fetch and build", interrupts),
    "faults": ("Full disks, forbidden folders, clocks, crowds, lost networks", files("test_faults.py", "")),
    "archives": ("Damaged wheels and sdists", archives),
    "bombs": ("Archives made by hand, bombs", files("test_archives.py", "")),
    "repositories": ("Repositories and git servers made to harm", files("test_repositories.py", "")),
    "network": ("HTTP servers made to harm, secrets", files("test_network.py", "")),
    "text": ("Text made to run or to deceive", files("test_text.py", "")),
    "beside": ("The same beside other plugins, and in feeds", files("test_beside.py", "")),
    "browser": ("The same in a browser, under a strict policy", files("test_browser.py", "")),
    "parsers": ("Random input to every parser", parsers),
    "structure": ("Pages made at random, each mention accounted for", structure),
    "saves": ("Pages made at random under serve, after every save", saves),
    "growth": ("Long lines, many directives, deep nesting", growth),
}


def _pytest(*arguments: str, **env: str) -> Row:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **env}, timeout=PATIENCE
    )
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", done.stdout)}
    tried = sum(counts.values()) - counts.get("skipped", 0)
    row: Row = {"tried": tried, "survived": counts.get("passed", 0), "skipped": counts.get("skipped", 0)}
    if done.returncode:
        row["failed"] = done.stdout[-3000:]
    return row


def section(name: str) -> Row:
    """Run one section in this process."""
    with tempfile.TemporaryDirectory(prefix="trust-soak-") as folder:
        row = SECTIONS[name][1](Path(folder))
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024
    return {"wrong": 0, "lost": 0, "memory": peak, "slowest": 0.0, **row}


def _line(name: str, row: Row, seconds: float) -> str:
    slowest = f"{row['slowest']:.2f}" if row.get("slowest") else ""
    cells = [
        SECTIONS[name][0],
        f"{row['tried']:,}",
        f"{row['survived']:,}",
        row["wrong"],
        row["lost"],
        row["memory"],
        slowest,
    ]
    return f"| {' | '.join(map(str, cells))} | {seconds:.0f} |"


def machine() -> str:
    """Say on what this runs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    release = Path("/etc/os-release")
    named = re.search(r'^PRETTY_NAME="(.*)"$', release.read_text("utf-8") if release.exists() else "", re.MULTILINE)
    system = named[1] if named else platform.system()
    git = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.split()[-1]
    cores = os.cpu_count()
    return f"{cores} cores, {memory:.0f} GiB, {system}, Python {platform.python_version()}, git {git}"


def main() -> int:
    """Run all sections, or those named, and print the table."""
    named = [name for name in sys.argv[1:] if not name.startswith("-")]
    if "--section" in sys.argv:
        print(json.dumps(section(named[0])))
        return 0
    rows: list[str] = []
    notes: list[str] = []
    bad = False
    begun = time.monotonic()
    for name in named or SECTIONS:
        start = time.monotonic()
        print(f"{SECTIONS[name][0]} …", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "tests.trust.soak", name, "--section", *SHARE]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            bad = True
            print(done.stderr[-3000:], file=sys.stderr)
            rows.append(f"| {SECTIONS[name][0]} | FAILED |  |  |  |  |  | {time.monotonic() - start:.0f} |")
            continue
        row: Row = json.loads(done.stdout.splitlines()[-1])
        rows.append(_line(name, row, time.monotonic() - start))
        notes.extend([f"{SECTIONS[name][0]}: {row['note']}."] if row.get("note") else [])
        if row.get("skipped"):
            notes.append(f"{SECTIONS[name][0]}: {row['skipped']} skipped here.")
        if row.get("failed") or row["survived"] != row["tried"] or row["wrong"] or row["lost"]:
            bad = True
            print(row.get("failed", ""), file=sys.stderr)
    print("| Cases | Tried | Survived | Wrong output | Lost | Worst memory, MiB | Slowest case, s | All, s |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    print("\n".join(rows))
    print()
    print("\n".join(notes))
    print(f"\n{machine()}; {(time.monotonic() - begun) / 60:.0f} minutes in all.")
    return int(bad)


if __name__ == "__main__":
    for leftover in Path("/dev/shm").glob("trust-*") if Path("/dev/shm").is_dir() else ():
        if time.time() - leftover.stat().st_mtime > 3600:
            shutil.rmtree(leftover, ignore_errors=True)
    sys.exit(main())
