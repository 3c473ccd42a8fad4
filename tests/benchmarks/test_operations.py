"""How much work a directive is, in calls of functions, which no busy machine changes; and when a run lost a goal."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measure import Row
from benchmarks.run import as_data, lost
from benchmarks.sites import Corpus, Shape, write_site
from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.quote.directive import parse_directive

CALLS = 80
"""Calls of Python functions to parse, check and resolve one directive whose file was read before."""


def test_a_directive_is_a_bounded_number_of_calls(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus", Shape(pages=40, excerpts=5, lines=10, files=8, length=60))
    corpus.commit_to(corpus.folder)
    site = write_site(corpus, tmp_path / "site", "metalworking")
    project = Project.load(Settings.of({"store": "../store", "offline": True}, base=site))
    quotes = [quote for page in corpus.pages for quote in page]
    texts = [f"<< excerpt bench/corpus@{corpus.commit[:7]}:{q.file}#L{q.first}-{q.last} >>" for q in quotes]
    for text in texts:
        assert project.quoter.quote(parse_directive(text)).segments
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    for text in texts:
        project.quoter.quote(parse_directive(text))
    sys.setprofile(None)
    project.close()
    assert calls / len(texts) < CALLS


def test_a_goal_is_lost_by_a_quiet_machine_only() -> None:
    good, bad = (Row("build", "nothing", 1.1, [value], [1.0]) for value in (1.0, 1.2))
    before = as_data([("full", good)])
    assert lost([bad], before) == [bad]
    assert lost([good], before) == []
    assert lost([bad], as_data([("full", bad)])) == []
    bad.noise = 2.0
    assert lost([bad], before) == []
    seconds = Row("check", "", 0.8, [0.5])
    assert seconds.met
    assert seconds.cells() == ["check", "", "at most 0.8 s", "", "0.5 s", ""]
