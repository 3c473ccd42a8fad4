"""The small site: our own kernels and our own pages, with one of everything that the theme draws."""

from __future__ import annotations

from pathlib import Path

from tests.support import ASK

SCALE = """\
#include <metal_stdlib>
using namespace metal;

// Scales an array. The grid is exact, so no thread is out of range.
kernel void scale(device float* data [[buffer(0)]],
                  constant float& by [[buffer(1)]],
                  threadgroup float* shared [[threadgroup(0)]],
                  uint i [[thread_position_in_grid]],
                  uint lane [[thread_index_in_threadgroup]]) {
    shared[lane] = data[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float x = shared[lane] * by; // LONG
\tdata[i] = x;
    const char* name = "scale";
    (void)name;
}
""".replace(
    "LONG", "a remark that runs on past the edge of any screen, " * 4 + "so that its line scrolls inside the figure"
)
FILES: dict[str, str | bytes] = {
    "scale.metal": SCALE,
    "marks.c": b"int a; /* bell \x07 */\nint b;\t/* zero\xe2\x80\x8bwidth */\n\nint c;\n",
    "long.c": "".join(f"int line{n} = {n};\n" for n in range(1, 181)),
    "LICENSE": "Test license\n",
}
REFERENCES = """\
references:
  - key: handbook
    title: The Handbook
    author: A. Writer
    date: 2024-05
    kind: documentation
    url: https://example.org/handbook
"""
MAPPING = """\
- cuda: "__shfl_down_sync / __shfl_up_sync"
  aliases: [warp shuffle, shift lanes]
  metal: simd_shuffle_down
  note: No `mask` argument.
  code:
    cuda: |
      v += __shfl_down_sync(~0u, v, 16);
    metal: |
      v += simd_shuffle_down(v, 16);
      // and so on, down to a distance of one lane, with no argument that names the lanes
  page: first/one
  verdict: resized
  group: Within a warp
- cuda: cudaMemcpyAsync
  metal: none needed
  note: One memory.
  page: first/two.md
  verdict: unlearn
  group: Memory
  source: [handbook]
- cuda: ncu
  metal: Xcode's GPU counters
  verdict: resized
  group: Tools
"""
SVG = """\
<svg class="mw-svg" viewBox="0 0 720 60" role="img" aria-label="Two boxes">
<rect class="d-box" x="1" y="1" width="300" height="58"/><rect class="d-a" x="320" y="1" width="300" height="58"/>
<text class="d-on" x="340" y="36">filled</text>
</svg>"""
FRONT = """\
---
summary: {summary}
cuda:
  term: {term}
  verdict: {verdict}
  modal: [device-hardware/register-file]
  apis: [{apis}]
  carries: What you know of [two](two.md).
  misleads: The name [@handbook, 2024].
---

"""


def pages(sha: str, gone: str, blobs: dict[str, str]) -> dict[str, str]:
    """Return the Markdown of each page; *sha* and *gone* are the commits, *blobs* the ids of the files."""
    kernel = f"acme/kernels@{sha}"
    first = FRONT.format(
        summary="Thirty-two lanes & one counter.", term="Warp", verdict="transfers", apis="shift lanes, cudaMemcpyAsync"
    )
    second = FRONT.format(
        summary="One memory for all.", term="Global memory", verdict="unlearn", apis="cudaMemcpyAsync"
    )
    third = FRONT.format(summary="Nothing like it.", term="None at all", verdict="none", apis="").replace(
        "two.md", "../first/two.md"
    )
    fourth = FRONT.format(summary="'Ends </script> & \"quotes\".'", term="Warp", verdict="transfers", apis="")
    filler = "\n\n".join(f"Paragraph {n} of plain text, so that the page is long enough to scroll." for n in range(12))
    return {
        "index.md": (
            "---\nsummary: A small book.\ntemplate: home.html\n---\n\n# small\n\nBegin with [one](first/one.md).\n"
        ),
        "first/index.md": "---\nsummary: The first chapter.\n---\n\n# First\n\nWhat it is about.\n",
        "first/one.md": f"""{first}# One

Lead, with a link to [two](two.md) and a claim [@handbook, in passing] [@acme/kernels:scale.metal#L5-9].

## In code

<< excerpt {kernel}:scale.metal#L4-6,L10-16 hl=11 title="Scale" >>
- L5-6: The arguments.
- L11: Everyone waits here.
- L12: One multiplication.

{filler}

## A figure

<figure class="mw-diagram" markdown="0">
{SVG}
<figcaption>Two boxes.</figcaption>
</figure>

<div class="mw-sortable" markdown="1">

| Chip | Registers | Rate |
| --- | --- | --- |
| M2 | 104 | 9.5 |
| M1 | 52 | 10.25 |
| M10 | 1,024 | 2 |

</div>

!!! note "A note"
    With `code` in it.

```metal
kernel void f(device half* x [[buffer(0)]]) {{ x[0] = half(1.5h); }} // fenced
```
""",
        "first/two.md": f"""{second}# Two

Back to [one](one.md) and to [a line](one.md#--{blobs["scale.metal"]}-L12).

<< excerpt {kernel}:marks.c >>
- L1: A bell.

<< excerpt {kernel}:long.c collapse >>

<< excerpt acme/gone@{gone}:far.c#L1-2 title="Read at its home" >>
- L2: A note on what is not here.
""",
        "first/four.md": f"""{fourth}# Four

<< excerpt {kernel}:scale.metal#L10,L14 >>
""",
        "second/index.md": "---\nsummary: The second chapter.\n---\n\n# Second\n\nMore.\n",
        "second/three.md": f"{third}# Three\n\nSee [one](../first/one.md).\n\n## The table\n\n<!-- mapping-table -->\n",
        "a-z.md": "---\nsummary: Every name.\n---\n\n# A-Z\n\n<!-- az-index -->\n",
        "sources.md": "---\nsummary: Every source.\n---\n\n# Sources\n\n<!-- sources -->\n",
        "assets/mapping.yml": MAPPING,
    }


def config(here: Path, url: str, out: Path) -> str:
    """Return mkdocs.yml: the book's own, with other pages."""
    return f"""\
INHERIT: {here / "mkdocs.yml"}
site_name: small
site_url: {url}
site_dir: {out}
docs_dir: docs
watch: []
theme:
  custom_dir: {here / "overrides"}
plugins:
  - search
  - metalworking: {{store: store, offline: true, mapping: docs/assets/mapping.yml, {ASK}}}
nav:
  - Home: index.md
  - First:
      - first/index.md
      - One: first/one.md
      - Two: first/two.md
  - Second:
      - second/index.md
      - Three: second/three.md
  - A-Z: a-z.md
  - Sources: sources.md
"""
