"""The repository that the golden cases quote: small files of our own, each with one trap."""

from __future__ import annotations

from pathlib import Path

import pytest

from mkdocs_metalworking.quote.selection import Selection
from tests.support import Bench, commit_files

SCALE = """\
#include <metal_stdlib>
using namespace metal;

kernel void scale(device float* data [[buffer(0)]],
                  constant float& by [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
    float x = data[i];
    data[i] = x * by;
}
"""
REGIONS = """\
// ANCHOR: outer
int a;
// #region two words
int b;
// #endregion
// ANCHOR_END: outer
// region open
"""
NOTE = """\
class Note:
    def read(self):
        return 1

    # region body
    def write(self):
        pass
    # endregion
"""
FILES: dict[str, str | bytes] = {
    "scale.metal": SCALE,
    "tabs.c": "int f(void) {\n\tif (1) {\n\t\treturn 2;\n\t}\n\n\treturn 3;\n}\n",
    "blank-first.c": "\n\nint a;\n\nint b;\n",
    "no-newline.c": "int a;\nint b;",
    "crlf.c": b"int a;\r\nint b;\r\n",
    "bom.c": b"\xef\xbb\xbfint a;\n",
    "latin.c": b"// caf\xe9\nint a;\n",
    "one.c": "int only;\n",
    "README.md": "# Title\n\ntext\n",
    "fence.md": "before\n```\ncode\n```\nafter\n",
    "jinja.txt": "{{ x }}\n{% y %}\n${{ z }}\n{# c #}\n",
    "math.txt": "$x$ and $$y$$\n",
    "snippet.txt": '--8<-- "other.md"\n<< excerpt a/b@1234567:c >>\n[@key] *not* _emphasis_\n',
    "annotate.c": "int a; // (1)\nint b; // (2)\n",
    "script.html": "<script>alert(1)</script>\n</script>\n<!-- c -->\n&amp; &lt;\n",
    "control.txt": b"stx \x02 etx \x03\nplaceholder \x02wzxhzdk:0\x03\nff \x0c vt \x0b\nesc \x1b[31m\n",
    "lines.txt": "one \u2028 still one\ntwo \u0085 still two\nthree \u2029 still three\n",
    "bidi.c": "int a; /* \u202e hidden \u2066 */\nint \u200bzero\ufeff;\n",
    "lone-cr.txt": b"a\rb\nc\n",
    "with space.c": "int spaced;\n",
    "hash#name.c": "int hashed;\n",
    "comment.c": "/* opens here\n   still a comment\n   ends here */\nint code;\n",
    "regions.c": REGIONS,
    "wide.c": "".join(f"int line{i};\n" for i in range(1, 121)),
}
QUANTITIES = """\
counts: [core, thread]
quantities:
  sum:
    name: Float sum over the simdgroup
    value: 14.5
    unit: cycles
    chip: M1 Max
    method: "<b>one</b> chain & more"
    sources: [{cite: "acme/kernels:scale.metal#L4", kind: measured}]
  cores: {value: 40, unit: cores, sources: [{cite: bare, kind: documented}]}
  clock: {value: 1620, unit: MHz, sources: [{cite: handbook, kind: reported}]}
  rate: {formula: cores * 256 * clock, unit: TFLOPS}
  latency: {value: 523, range: [515, 919], unit: ns, sources: [{cite: bare, kind: reported}]}
  threads: {value: 3072, unit: threads, sources: [{cite: bare}]}
  share: {value: 7.5, unit: "%", sources: [{cite: bare}]}
  note: {value: 1, shown: <b>, name: <i>x</i>, chip: <script>, sources: [{cite: bare, kind: reported}]}
"""


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("golden"))
    own = {"src/scale.metal": SCALE, "src/note.py": NOTE, "COPYING": "GPL\n", ".gitignore": "code/\nstore/\n"}
    commit_files(bench.root, own)
    bench.add_repo("acme/kernels", FILES)
    bench.add_repo("acme/secret", {"a.c": "int a;\n"}, license="null")
    bench.add_repo("acme/copyleft", {"a.c": "int a;\n"}, license="GPL-3.0-only")
    bench.add_repo("acme/partly", {"lib/a.c": "int a;\n", "b.c": "int b;\n"}, extra="license_scope: lib/")
    bench.references = (
        "references:\n"
        "  - key: handbook\n    title: The <b>Handbook</b> & more\n    author: A. Writer\n    date: 2024-05\n"
        "    url: https://example.org/handbook?a=1&b=2\n"
        "  - key: bare\n    title: Bare title\n"
        "  - key: results\n    title: Results\n    page: results.md#reads\n"
        "self: {pin: working-tree, repo: acme/own}\n"
    )
    (bench.root / "quantities.yml").write_text(QUANTITIES, encoding="utf-8")
    locked = [("acme/kernels", name) for name in FILES if name not in ("latin.c",)]
    bench.write([*locked, ("acme/copyleft", "a.c"), ("acme/partly", "lib/a.c"), ("acme/partly", "b.c")])
    bench.name(
        [
            ("acme/kernels", "scale.metal", Selection("symbol", "scale")),
            ("acme/kernels", "regions.c", Selection("region", "outer")),
            ("acme/kernels", "regions.c", Selection("region", "two words")),
            ("self", "src/scale.metal", Selection("symbol", "scale")),
            ("self", "src/scale.metal", Selection("guards", "float x", "data[i] =")),
            ("self", "src/note.py", Selection("region", "body")),
            ("self", "src/note.py", Selection("symbol", "Note.read")),
            ("self", "src/note.py", Selection("file")),
        ]
    )
    (bench.root / "src/note.py").write_text(NOTE.replace("return 1", "return 2"), encoding="utf-8")
    return bench


def golden_folder() -> Path:
    return Path(__file__).parent / "cases"
