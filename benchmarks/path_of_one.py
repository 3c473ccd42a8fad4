"""What one more excerpt of a page takes in a warm build: ``python -m benchmarks.path_of_one``.

Counts the files of the package whose functions run for it, and the calls that lead from one of these files into
another: the difference between a page of two excerpts and the same page with three. It is a measure of how far one has
to look, and not of time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.measure import ENV, MKDOCS, seconds
from benchmarks.sites import Corpus, Shape, write_site

COUNT = """
import collections, json, sys
from mkdocs.__main__ import cli
inside = "mkdocs_metalworking/"
entered, crossed = collections.Counter(), collections.Counter()
def note(frame, event, _):
    if event != "call" or inside not in (name := frame.f_code.co_filename):
        return
    entered[name.rpartition(inside)[2]] += 1
    caller = frame.f_back
    while caller is not None and inside not in caller.f_code.co_filename:
        caller = caller.f_back
    if caller is not None and caller.f_code.co_filename != name:
        crossed[f"{caller.f_code.co_filename.rpartition(inside)[2]} > {name.rpartition(inside)[2]}"] += 1
sys.setprofile(note)
try:
    cli(["build", "-q"])
finally:
    sys.setprofile(None)
    json.dump([entered, crossed], open(sys.argv[1], "w"))
"""


def counted(site: Path) -> tuple[Counter[str], Counter[str]]:
    """Return calls by the file that they enter, and by the pair of files that they lead across, of a warm build."""
    seconds([*MKDOCS, "build", "-q"], site)
    found = site / "calls.json"
    subprocess.run([sys.executable, "-c", COUNT, str(found)], cwd=site, env=ENV, check=False)
    entered, crossed = json.loads(found.read_text(encoding="utf-8"))
    return Counter(entered), Counter(crossed)


def main() -> None:
    """Print the files, the calls across them, and the pairs of files."""
    with tempfile.TemporaryDirectory() as folder:
        sites = []
        for excerpts in (2, 3):
            root = Path(folder) / str(excerpts)
            corpus = Corpus(root / "corpus", Shape(pages=1, excerpts=excerpts, files=1))
            corpus.commit_to(root / "corpus")
            sites.append(counted(write_site(corpus, root / "site", "metalworking")))
    entered, crossed = (more - fewer for fewer, more in zip(*sites, strict=True))
    for pair, calls in crossed.most_common():
        print(f"{calls:4}  {pair}")
    print(f"{len(entered)} files, {crossed.total()} calls from file to file")


if __name__ == "__main__":
    main()
