"""Sites of equal prose that show the same code in different ways, for the comparisons in run.py.

The code is made here, line by line, from a small grammar of Metal-like statements: nothing is quoted from anybody.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.lock import Lock

WORDS = (  # noqa: SIM905
    "tile simdgroup register lane barrier fragment loader kernel threadgroup cache line stride copy "
    "matrix tensor device memory buffer command queue pipeline occupancy latency bandwidth group "
    "result value order first second every each one two four loads stores waits reads writes holds "
    "keeps moves adds takes leaves runs costs"
).split()


@dataclass(frozen=True)
class Shape:
    """How large a site is: *pages* x *excerpts* x *lines*, quoted from *files* files of *length* lines.

    Pages that are not *listed* stand outside the nav, which Material writes on each of them.
    """

    pages: int = 300
    excerpts: int = 5
    lines: int = 30
    files: int = 40
    length: int = 600
    seed: int = 7
    listed: bool = True


def source_file(rng: random.Random, index: int, length: int) -> str:
    """Return Metal code of about *length* lines: kernels with loops, attributes, comments."""
    lines = ["#include <metal_stdlib>", "using namespace metal;", ""]
    kernel = 0
    while len(lines) < length:
        kernel += 1
        lines += [
            f"/* {' '.join(rng.choices(WORDS, k=8))} */",
            f"[[kernel]] void {rng.choice(WORDS)}_{index}_{kernel}(",
            "    device const float* a [[buffer(0)]],",
            "    device half4* out [[buffer(1)]],",
            "    constant uint& count [[buffer(2)]],",
            "    threadgroup float* tile [[threadgroup(0)]],",
            "    uint tid [[thread_index_in_threadgroup]]) {",
        ]
        for _ in range(rng.randrange(6, 16)):
            name, other, n = rng.choice(WORDS), rng.choice(WORDS), rng.randrange(2, 64)
            lines += rng.choice(
                [
                    [f"  float {name}{n} = a[tid * {n} + {rng.randrange(9)}] * 0.{n}f;  // {other} {name}"],
                    [
                        f"  for (uint {name} = 0; {name} < count; {name} += {n}) {{",
                        f"    tile[{name}] += simd_sum(a[{name}]);",
                        "  }",
                    ],
                    ["  threadgroup_barrier(mem_flags::mem_threadgroup);"],
                    [f"  if (tid == {n}u) {{ out[tid] = half4({name}{n % 7}, {n}.0h, 0.0h, 1.0h); }}"],
                    [f"  simdgroup_float8x8 {name}_{other} = make_filled_simdgroup_matrix<float, 8>({n}.0f);", ""],
                ]
            )
        lines += ["}", ""]
    return "\n".join(lines[:length]) + "\n"


def prose(rng: random.Random, sentences: int) -> str:
    """Return a paragraph."""
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randrange(8, 16))).capitalize() + "." for _ in range(sentences))


@dataclass(frozen=True)
class Quote:
    """Lines *first* to *last* of a file."""

    file: str
    first: int
    last: int


class Corpus:
    """The files, their commit and the quotes of every page; the same for every way of showing them."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        self.shape = shape
        self.folder = folder
        rng = random.Random(shape.seed)
        self.files = {f"src/file{i}.metal": source_file(rng, i, shape.length) for i in range(shape.files)}
        self.pages = [
            [self._quote(rng, f"src/file{rng.randrange(shape.files)}.metal") for _ in range(shape.excerpts)]
            for _ in range(shape.pages)
        ]
        self.text_seed = rng.random()
        self.commit = ""

    def _quote(self, rng: random.Random, file: str) -> Quote:
        first = rng.randrange(1, self.shape.length - self.shape.lines)
        return Quote(file, first, first + self.shape.lines - 1)

    def commit_to(self, repository: Path) -> str:
        """Write the files as one commit of a new repository and return its id."""
        for name, text in self.files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = ["git", "-C", str(repository), "-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0"]
        subprocess.run([*run, "init", "-q"], check=True)
        subprocess.run([*run, "add", "-A"], check=True)
        subprocess.run([*run, "commit", "-q", "-m", "files"], check=True)
        done = subprocess.run([*run, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        self.commit = done.stdout.strip()
        return self.commit

    def lines(self, quote: Quote) -> str:
        """Return the quoted lines."""
        return "\n".join(self.files[quote.file].split("\n")[quote.first - 1 : quote.last])

    def lock(self) -> str:
        """Return sources.lock for every file."""
        keys = {name: FileKey("bench/corpus", self.commit, name) for name in self.files}
        return Lock().with_entries(LockedFile.of(keys[n], t.encode()) for n, t in self.files.items()).format()


CONFIG = """\
site_name: Bench
theme:
  name: material
  font: false
  features: [{features}]
plugins:
  - search
{plugins}markdown_extensions:
  - pymdownx.superfences
  - pymdownx.highlight: {{anchor_linenums: true, linenums: true}}
{extensions}"""
PLUGINS = {
    "metalworking": "  - metalworking: {offline: true, store: ../store}\n",
    "unsearched": "  - metalworking: {offline: true, store: ../store, search: false}\n",
    "include": "  - include-markdown\n",
    "codeinclude": "  - codeinclude\n",
}


def write_site(corpus: Corpus, root: Path, way: str, *, features: str = "") -> Path:
    """Write the site that shows the corpus in one *way*; returns its folder.

    Ways: ``none`` (no code), ``metalworking``, ``unsearched`` (the same, code kept out of the search), ``fences``
    (pasted), ``snippets`` (pymdownx.snippets with line ranges), ``include`` (mkdocs-include-markdown) and
    ``codeinclude`` (mkdocs-codeinclude), which take whole files, so each quote is a file of its own.
    """
    docs = root / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    extensions = ""
    if way in ("metalworking", "unsearched"):
        (root / "sources.yml").write_text(
            f"repositories:\n- {{repo: bench/corpus, commit: {corpus.commit}, license: MIT}}\n", encoding="utf-8"
        )
        (root / "sources.lock").write_text(corpus.lock(), encoding="utf-8")
        (root / "code" / "bench").mkdir(parents=True, exist_ok=True)
        (root / "code" / "bench" / "corpus").symlink_to(corpus.folder)
        # Without a repository around it nobody could tell whose the link is.
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    elif way == "snippets":
        extensions = f"  - pymdownx.snippets: {{base_path: [{corpus.folder}], check_paths: true}}\n"
    text = CONFIG.format(plugins=PLUGINS.get(way, ""), extensions=extensions, features=features)
    text += "" if corpus.shape.listed else "nav: [index.md]\n"
    (root / "mkdocs.yml").write_text(text, encoding="utf-8")
    rng = random.Random(corpus.text_seed)
    for number, quotes in enumerate(corpus.pages):
        parts = [f"# Page {number}", prose(rng, 4)]
        for index, quote in enumerate(quotes):
            parts += [f"## Part {index}", prose(rng, 6)]
            parts += _shown(corpus, quote, way, root, f"{number}-{index}")
            parts += [prose(rng, 3)]
        (docs / f"page{number}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (docs / "index.md").write_text("# Home\n\nText.\n", encoding="utf-8")
    return root


def _shown(corpus: Corpus, quote: Quote, way: str, root: Path, name: str) -> list[str]:
    if way == "none":
        return []
    if way in ("metalworking", "unsearched"):
        return [f"<< excerpt bench/corpus@{corpus.commit[:7]}:{quote.file}#L{quote.first}-{quote.last} >>"]
    if way == "snippets":
        return [f'```metal\n--8<-- "{quote.file}:{quote.first}:{quote.last}"\n```']
    if way in ("include", "codeinclude"):
        # Neither takes line numbers: the nearest equivalent is a file that holds just these lines.
        part = root / "docs" / "parts" / f"{name}.metal"
        part.parent.mkdir(exist_ok=True)
        part.write_text(corpus.lines(quote) + "\n", encoding="utf-8")
        if way == "include":
            return ["```metal\n{% " + f'include "parts/{name}.metal"' + " %}\n```"]
        return [f"<!--codeinclude-->\n[Part](parts/{name}.metal)\n<!--/codeinclude-->"]
    return [f"```metal\n{corpus.lines(quote)}\n```"]


_HOOK = """
import json, pathlib, re
FIGURES = json.loads(pathlib.Path(__file__).with_name("figures.json").read_text(encoding="utf-8"))
def on_post_page(output, page, config):
    found = FIGURES.get(page.file.src_uri)
    return re.sub("<!--([0-9]+)-->", lambda match: found[int(match[1])], output) if found else output
"""


def write_limit(built: Path, plain: Path, root: Path) -> Path:
    """Write what no plugin can beat: the site *plain*, with the finished figures of *built* put in by a hook."""
    figures = {}
    (root / "docs").mkdir(parents=True, exist_ok=True)
    for page in sorted((built / "docs").glob("*.md")):
        html = built / "site" / page.stem / "index.html"
        found = (
            re.findall(r"<figure class=\"mw-excerpt.*?</figure>", html.read_text("utf-8"), re.S)
            if html.exists()
            else []
        )
        count = itertools.count()
        text = re.sub(r"<< excerpt .*? >>", lambda _, n=count: f"<!--{next(n)}-->", page.read_text("utf-8"))
        (root / "docs" / page.name).write_text(text, encoding="utf-8")
        if found:
            figures[page.name] = found
    (root / "figures.json").write_text(json.dumps(figures), encoding="utf-8")
    (root / "put_in.py").write_text(_HOOK, encoding="utf-8")
    config = (plain / "mkdocs.yml").read_text(encoding="utf-8")
    (root / "mkdocs.yml").write_text(f"{config}hooks: [put_in.py]\n", encoding="utf-8")
    return root
