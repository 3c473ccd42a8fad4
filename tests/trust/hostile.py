"""A site in which everything that somebody else may have written tries to run a script or to deceive a reader."""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from tests.support import ASK, Bench
from tests.trust.world import PIECES

HERE = Path(__file__).resolve().parents[2]
ATTACKS = (
    "<script>window.pwned=1</script>",
    '"><img src=x onerror=window.pwned=1>',
    "' onmouseover=window.pwned=1 x='",
    "[x](javascript:window.pwned=1)",
    "<svg/onload=window.pwned=1>",
    "</title></textarea></style><script>window.pwned=1</script>",
    "{{ 7*7 }}{% raw %}",
    "`code`<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "\u202egnp.exe",
)
TEXT = " ".join(ATTACKS)
CODE = "".join(f"{line}\n" for line in (*ATTACKS, *(p for p in PIECES if "\n" not in p)))
EVIL_NAME = "<img src=x onerror=window.pwned=1>'\"&{{x}}.c"
REPO = "acme/kernels"


def make(root: Path) -> Bench:
    """Write the sources, the pages and the table of the site below *root*."""
    bench = Bench(root)
    files = {"evil.c": CODE, "evil.html": CODE, "evil.md": CODE, EVIL_NAME: CODE, "LICENSE": "x\n"}
    commit = bench.add_repo(REPO, files)
    bench.add_repo("acme/gone", {EVIL_NAME: CODE + "far\n"})
    lock = [*((REPO, name) for name in files), ("acme/gone", EVIL_NAME)]
    bench.write(lock)
    sources = yaml.safe_load((root / "sources.yml").read_text("utf-8"))
    for entry in sources["repositories"]:
        entry |= {"tag": TEXT, "license_file": TEXT}
    sources["references"] = [
        {
            "key": "evil",
            "title": TEXT,
            "author": TEXT,
            "kind": "article",
            "url": "https://example.org/[x](javascript:a)'*_",
        }
    ]
    (root / "sources.yml").write_text(yaml.safe_dump(sources, allow_unicode=True), encoding="utf-8")
    shutil.rmtree(root / "code/acme/gone")  # its excerpt is a card
    gone = bench.commits["acme/gone"]
    quoted = EVIL_NAME.replace("\\", "\\\\").replace('"', '\\"')
    title = TEXT.replace("\\", "\\\\").replace('"', '\\"').replace("\u202e", "\u202e")
    front = yaml.safe_dump(
        {"summary": TEXT[:230], "cuda": {"term": TEXT, "verdict": "none", "apis": list(ATTACKS)}}, allow_unicode=True
    )
    pages = {
        "index.md": "# Home\n\nSee [code](code.md), [list](sources.md), [names](a-z.md), [table](table.md).\n",
        "code.md": f"---\n{front}---\n\n# Code\n\n"
        + f'<< excerpt {REPO}@{commit[:9]}:evil.c title="{title}" >>\n- L1: A note.\n- L2-3: Another.\n\n'
        + "".join(f"<< excerpt {REPO}@{commit[:9]}:{name} >>\n\n" for name in ("evil.html", "evil.md", f'"{quoted}"'))
        + f'<< excerpt {REPO}@{commit[:9]}:evil.c collapse search=off first="<script>" >>\n\n'
        + f'<< excerpt acme/gone@{gone[:9]}:"{quoted}"#L1-2 title="{title}" >>\n\n'
        + f"A claim [@evil, {ATTACKS[0]} and {ATTACKS[1]}] and [@{REPO}:evil.c#L1-2, {ATTACKS[2]}].\n",
        "sources.md": f"---\n{front}---\n\n# Sources\n\n<!-- sources -->\n",
        "a-z.md": "# Names\n\n<!-- az-index -->\n",
        "table.md": "# Table\n\n<!-- mapping-table -->\n",
    }
    for name, text in pages.items():
        path = root / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    rows = [{"cuda": text, "metal": text, "group": text, "page": "code"} for text in (TEXT, *ATTACKS)]
    (root / "docs/mapping.yml").write_text(yaml.safe_dump(rows, allow_unicode=True), encoding="utf-8")
    return bench


STOCK = """\
site_name: Hostile
theme: {name: material, font: false}
plugins:
  - search
  - metalworking: {store: store, offline: true, mapping: docs/mapping.yml, ASK}
markdown_extensions: [footnotes, admonition, attr_list, md_in_html, tables, pymdownx.superfences, pymdownx.details]
nav: [index.md, {Chapter: [code.md, sources.md, a-z.md, table.md]}]
""".replace("ASK}", f"{ASK}}}")


def config(theme: str, out: Path) -> str:
    """Return mkdocs.yml for stock Material, or for this book's theme."""
    if theme == "stock":
        return STOCK + f"site_dir: {out}\n"
    return (
        f"INHERIT: {HERE / 'mkdocs.yml'}\nsite_dir: {out}\ndocs_dir: docs\nwatch: []\nsite_url: ''\n"
        f"theme: {{custom_dir: {HERE / 'overrides'}}}\nplugins:\n  - search\n"
        f"  - metalworking: {{store: store, offline: true, mapping: docs/mapping.yml, {ASK}}}\n"
        "nav: [index.md, {Chapter: [code.md, sources.md, a-z.md, table.md]}]\n"
    )
