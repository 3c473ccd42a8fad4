"""The plugin added to public documentation sites by the documented step, and every file compared with the site before.

A site is a folder with its mkdocs.yml, as its authors published it. It is built twice in a copy: as it is, and with
``- metalworking`` as the last of its plugins. A site that quotes nothing must come out the same, byte for byte; the
second build of the site as it is shows what differs by itself (dates, ids), and that is left out of the comparison.

    python -m tests.adoption.real_sites FOLDER... [--without social] [--json report.json]

Plugins and hooks that ask for something this machine has not (fonts, a registry) are named with ``--without``; both
builds then go without them. Exits 1 when a site does not build with the plugin, or a file changes, comes or goes.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

STEP = "  - metalworking\n"
_PLUGINS = re.compile(r"^plugins:[ \t]*\n", re.MULTILINE)
_ITEM = re.compile(r"^( *)- *['\"]?([\w/.-]+)", re.MULTILINE)


@dataclass
class Report:
    """What came of one site. ``changed``, ``added`` and ``removed`` are paths below the built site."""

    name: str
    files: int = 0
    pages: int = 0
    restless: int = 0
    """Files that differ between two builds of the site as it is."""
    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    failure: str = ""

    @property
    def well(self) -> bool:
        """Whether the site was built and nothing of it changed."""
        return not (self.failure or self.changed or self.added or self.removed)


def block(text: str) -> tuple[int, int]:
    """Return where the list under ``plugins:`` begins and ends in a mkdocs.yml; two times the end without one."""
    found = _PLUGINS.search(text)
    if found is None:
        return len(text), len(text)
    rest = re.compile(r"^[^\s#-]", re.MULTILINE).search(text, found.end())
    return found.end(), rest.start() if rest else len(text)


def with_plugin(text: str) -> str:
    """Return a mkdocs.yml with the plugin added as the documentation says: a last line under ``plugins:``."""
    start, end = block(text)
    if start == end:
        return f"{text.rstrip()}\nplugins:\n  - search\n{STEP}"
    items = text[start:end].rstrip()
    indent = re.match(r" *", items.lstrip("\n"))
    assert indent is not None
    return f"{text[:start]}{items}\n{indent[0]}{STEP.strip()}\n\n{text[end:]}"


def without(text: str, names: Iterable[str]) -> str:
    """Return a mkdocs.yml whose ``plugins:`` leave out *names*, options included."""
    start, end = block(text)
    kept: list[str] = []
    skipping = -1
    for line in text[start:end].splitlines(keepends=True):
        item = _ITEM.match(line)
        if item and (skipping < 0 or len(item[1]) <= skipping):
            skipping = len(item[1]) if item[2] in set(names) else -1
        if skipping < 0:
            kept.append(line)
    return text[:start] + "".join(kept) + text[end:]


def build(site: Path, text: str, out: Path) -> str:
    """Build *site* with *text* as its configuration; returns what went wrong, or nothing."""
    config = site / "mkdocs.trial.yml"
    config.write_text(text, encoding="utf-8")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "1700000000"}
    # The command and not the module, which would put the packages in the folder of the site before those installed.
    command = [str(Path(sys.executable).with_name("mkdocs")), "build", "-q", "-f", config.name, "-d", str(out)]
    done = subprocess.run(command, cwd=site, capture_output=True, text=True, env=env, timeout=1800)
    config.unlink()
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()[-2000:]


def files(folder: Path) -> set[str]:
    """Return the paths of all files below *folder*."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def different(one: Path, other: Path) -> Iterator[str]:
    """Yield the paths of files that both folders have and that differ."""
    for name in sorted(files(one) & files(other)):
        if not filecmp.cmp(one / name, other / name, shallow=False):
            yield name


def adopt(folder: Path, leave_out: Iterable[str]) -> Report:
    """Add the plugin to the site in *folder* and compare."""
    report = Report(folder.name)
    with tempfile.TemporaryDirectory() as scratch:
        site, root = Path(scratch, "site"), Path(scratch)
        shutil.copytree(folder, site, symlinks=True)
        _commit(site)
        text = without((site / "mkdocs.yml").read_text(encoding="utf-8"), leave_out)
        for name, config in (("before", text), ("again", text), ("after", with_plugin(text))):
            report.failure = build(site, config, root / name)
            if report.failure:
                report.failure = f"{name}: {report.failure}"
                return report
        before, after = files(root / "before"), files(root / "after")
        restless = set(different(root / "before", root / "again"))
        report.files, report.restless = len(before), len(restless)
        report.pages = sum(name.endswith(".html") for name in before)
        report.changed = [name for name in different(root / "before", root / "after") if name not in restless]
        report.added, report.removed = sorted(after - before), sorted(before - after)
    return report


def _commit(site: Path) -> None:
    """Make a repository of a site that came without its own: plugins that tell when a page was written ask for one."""
    if (site / ".git").exists():
        return
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "core.autocrlf=false"]
    for words in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "As published"]):
        subprocess.run(["git", *who, *words], cwd=site, check=True, capture_output=True)


def main() -> int:
    """Run the trial over the folders named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--without", action="append", default=[], metavar="PLUGIN")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    reports = [adopt(folder.resolve(), arguments.without) for folder in arguments.folders]
    for one in reports:
        state = "as before" if one.well else "DIFFERS"
        print(f"{one.name}: {state}: {one.pages} pages, {one.files} files, {one.restless} differ by themselves")
        for label, names in (("changed", one.changed), ("added", one.added), ("removed", one.removed)):
            for name in names[:20]:
                print(f"  {label} {name}")
        if one.failure:
            print(f"  {one.failure}")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in reports], indent=1) + "\n", encoding="utf-8")
    return 0 if all(one.well for one in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
