"""``metalworking mcp`` by the client of the SDK over stdio, in one session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from bs4 import BeautifulSoup
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client

from mkdocs_metalworking.hosts.mcp.pages import _cited
from mkdocs_metalworking.hosts.mkdocs.fitting import fitting
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.lsp.conftest import Site, make_site

TABLE = "\n| Chip | GB/s |\n|---|---|\n| M1 | [=m1.bandwidth as=number] [@ada-1843] |\n\n| Chip |\n|---|\n| M1 |\n"
Question = tuple[str, dict[str, Any]]


HOSTILE = [
    ("page", {"page": "../../../etc/passwd"}),
    ("page", {"page": "/etc/passwd"}),
    ("page", {"page": "file:///etc/passwd"}),
    ("page", {"page": "one.md", "section": "../x"}),
    ("excerpt", {"what": "acme/kernels@{sha}:../../../../etc/passwd"}),
    ("excerpt", {"what": "acme/kernels@{sha}:/etc/passwd"}),
    ("excerpt", {"what": "acme/kernels@main:kernels/add.metal"}),
    ("excerpt", {"what": "acme/kernels@{sha}:kernels/mul.metal#L1"}),  # not locked
    ("excerpt", {"what": "--upload-pack=x@1234567:y"}),
    ("excerpt", {"what": "self:mkdocs.yml"}),
    ("excerpt", {"what": "https://github.com/a/b/blob/main/../../etc"}),
    ("look_up", {"term": "nothing like it"}),
    ("look_up", {"term": "x" * 100_000}),
    ("look_up", {"term": "\x1b[2J"}),
    ("look_up", {"term": "a\u202eb"}),
    ("look_up", {"term": ""}),
    ("look_up", {"term": ["barrier"]}),
    ("look_up", {"term": "barrier", "limit": -1}),
    ("look_up", {"term": "barrier", "limit": 10**12}),
    ("look_up", {}),
    ("quantity", {"key": "__class__"}),
    ("chip", {"name": "(((((((((((((((((((((a+)+"}),
    ("search", {"query": "..."}),
    ("search", {"query": "\x00"}),
    ("write", {"path": "x"}),
]
SOUND = [
    ("look_up", {"term": "barrier"}),
    ("page", {"page": "One"}),
    ("page", {"page": "https://book.example.org/two/", "section": "below"}),
    ("quantity", {"key": "m1.twice"}),
    ("chip", {"name": "m1"}),
    ("excerpt", {"what": "acme/kernels@{sha}:kernels/add.metal#L8-9"}),
    ("excerpt", {"what": "https://github.com/acme/kernels/blob/{commit}/kernels/add.metal#L8"}),
    ("search", {"query": "line counts"}),
    ("look_up", {"term": "__syncthreads()", "limit": 600}),
]


@dataclass
class Session:
    """A site, what its server answered in one session, and the files that it changed."""

    site: Site
    tools: set[str] = field(default_factory=set)
    answers: list[tuple[bool, str]] = field(default_factory=list)
    changed: set[Path] = field(default_factory=set)

    async def ask(self, questions: list[Question]) -> None:
        arguments = ["-m", "mkdocs_metalworking", "mcp"]
        where = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(self.site.root))
        async with Client(stdio_client(where)) as client:
            tools = (await client.list_tools()).tools
            assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
            self.tools = {tool.name for tool in tools}
            for tool, given in questions:
                answer = await client.call_tool(tool, {name: self._filled(value) for name, value in given.items()})
                assert len(answer.content) == 1
                self.answers.append((bool(answer.is_error), answer.content[0].text))

    def _filled(self, value: Any) -> Any:
        commit = self.site.commits["acme/kernels"]
        return value.replace("{sha}", commit[:7]).replace("{commit}", commit) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    site = make_site(tmp_path_factory.mktemp("site"))
    site.page("two.md", site.path("two.md").read_text() + TABLE)
    config = site.root / "mkdocs.yml"
    config.write_text("site_url: https://book.example.org/\n" + config.read_text())
    found = Session(site)
    before = _stamps(site.root)
    with ThreadPoolExecutor(1) as pool:  # in this thread Playwright may have a loop at work
        pool.submit(anyio.run, found.ask, [*HOSTILE, *SOUND]).result()
    found.changed = {path for path, stamp in _stamps(site.root).items() if before.get(path) != stamp}
    return found


def _stamps(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in root.rglob("*") if "store" not in path.parts}


def test_every_question_is_answered_with_its_source(session: Session) -> None:
    assert session.tools == {"look_up", "page", "quantity", "chip", "excerpt", "search"}
    assert session.changed <= {session.site.root}  # the store is there
    answers = session.answers[len(HOSTILE) :]
    assert not any(wrong for wrong, _ in answers), answers
    term, page, section, quantity, chip, lines, linked, found, short = (json.loads(text) for _, text in answers)
    notes = {"title": "Ada, Notes on the engine, 1843", "url": "https://example.org/notes"}
    commit = session.site.commits["acme/kernels"]
    code = f"https://github.com/acme/kernels/blob/{commit}/kernels/add.metal"
    assert (term["name"], term["verdict"], term["metal"]) == ("__syncthreads", "transfers", "threadgroup_barrier")
    assert term["code"]["metal"] == "threadgroup_barrier(mem_flags::mem_threadgroup);"
    assert term["page"] == "https://book.example.org/one/"
    assert [source["url"] for source in term["sources"]] == [notes["url"], f"{code}#L8"]
    assert page["source"] == "https://book.example.org/one/"
    assert page["summary"] == "How 68 GB/s is spent."
    assert "kernel void add() {\n\tout[i] = a[i];\n}" in page["text"]
    assert section["text"].startswith("## Below\n")
    assert "# Two" not in section["text"].splitlines()
    assert (quantity["text"], quantity["value"], quantity["inputs"]) == ("136 GB/s", 136, {"m1.bandwidth": "68 GB/s"})
    assert quantity["sources"] == [{**notes, "note": "table 2"}]
    assert quantity["pages"] == ["https://book.example.org/two/"]
    assert chip["row"] == {"Chip": "M1", "GB/s": "68"}
    assert [source["url"] for source in chip["sources"]] == [notes["url"]]
    assert chip["source"] == "https://book.example.org/two/"
    assert lines == {
        **{"repo": "acme/kernels", "commit": commit, "path": "kernels/add.metal"},
        **{"lines": "L8-9", "license": "MIT", "code": "8\tkernel void add() {\n9\t\tout[i] = a[i];"},
        "source": f"{code}#L8-L9",
    }
    assert linked["code"] == "8\tkernel void add() {"
    assert [(one["page"], one["section"], one["source"]) for one in found["results"]] == [
        ("one.md", "One", "https://book.example.org/one/")
    ]
    assert len(answers[-1][1]) <= 600
    assert (short["verdict"], short["sources"], short["cut"]) == ("transfers", term["sources"], True)


def test_the_answers_are_those_of_terms_json_and_of_the_twins(session: Session) -> None:
    root, env = session.site.root, {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    book = "  - metalworking-book: {forms: [markdown], folder: twins}\nmarkdown_extensions"
    config = (root / "mkdocs.yml").read_text().replace("markdown_extensions", book)
    (root / "mkdocs-book.yml").write_text(config)
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", "mkdocs-book.yml", "-d", str(root / "public")]
    subprocess.run(command, cwd=root, env=env, check=True, capture_output=True)
    entry = json.loads((root / "public/assets/metalworking/terms.json").read_text())["terms"][0]
    term, page = (json.loads(text) for _, text in session.answers[len(HOSTILE) :][:2])
    assert page["text"] == (root / "twins/one/index.md").read_text()
    assert term["page"].endswith(entry["page"])
    for name in entry.keys() - {"row", "page", "also"}:  # those are whole addresses in an answer
        assert term[name] == entry[name]


def test_hostile_arguments_get_an_error_and_nothing_else(session: Session) -> None:
    for question, (wrong, text) in zip(HOSTILE, session.answers, strict=False):
        assert wrong, question
        assert len(text) < 1500
        assert "root:" not in text
        assert "Traceback" not in text
        assert str(session.site.root) not in text


@pytest.mark.parametrize("limit", [200, 260, 300, 500, 4000])
def test_no_answer_is_longer_than_asked_for(limit: int) -> None:
    answer = {
        **{"name": "x", "note": "n\n" * 300, "also": ["https://example.org/"] * 20, "code": {"a": "b" * 90}},
        "sources": [{"title": "t" * 40, "url": "https://example.org/notes"}],
    }
    text = fitting(answer, limit)
    told = json.loads(text)
    assert len(text) <= limit
    assert told["sources"] == answer["sources"]
    assert told.get("cut", False) is (len(json.dumps(answer, separators=(",", ":"))) > limit)


def test_too_small_a_limit_is_told() -> None:
    with pytest.raises(MetalworkingError, match="200 characters are too few"):
        fitting({"name": "x", "sources": [{"title": "t" * 400}]}, 200)


def test_a_row_is_answered_with_its_footnotes_alone() -> None:
    forged = '<p id="fn:cite-1"><a href="https://evil.example/">Forged</a></p>'
    row = '<table><tr><td>M1<sup><a href="#fn:cite-1">1</a></sup></td></tr></table>'
    notes = '<div class="footnote"><ol><li id="fn:cite-1"><a href="https://good.example/">Good</a></li></ol></div>'
    soup = BeautifulSoup(forged + row + notes, "html.parser")
    assert soup.tr is not None
    assert _cited(soup.tr) == [{"title": "Good", "url": "https://good.example/"}]
