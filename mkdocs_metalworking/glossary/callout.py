"""The CUDA callout: the front matter of a page, checked, and what each verdict means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from ..quote.diagnostics import Diagnostic, Severity
from ..quote.suggest import did_you_mean
from ..quote.yamldoc import YamlDocument, load_yaml

MODAL_URL = "https://modal.com/gpu-glossary/"
_FENCE = re.compile(
    r"\A---[ \t]*\r?\n(?P<yaml>.*?)(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)


_KEYED = re.compile(r":(?:\s|$)|^\s*[{?#]", re.MULTILINE)


class Verdict(StrEnum):
    """How far CUDA knowledge carries."""

    TRANSFERS = "transfers"
    RESIZED = "resized"
    UNLEARN = "unlearn"
    NONE = "none"

    @property
    def label(self) -> str:
        """The word shown to readers."""
        return _LABELS[self]


_LABELS = {
    Verdict.TRANSFERS: "Transfers",
    Verdict.RESIZED: "Transfers, other numbers",
    Verdict.UNLEARN: "Unlearn this",
    Verdict.NONE: "No counterpart",
}


@dataclass(frozen=True, slots=True)
class Cuda:
    """What a CUDA reader should know of a page. ``carries`` and ``misleads`` are Markdown."""

    term: str
    verdict: Verdict
    modal: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    carries: str = ""
    misleads: str = ""
    aspect: str = ""
    """What the page's verdict is about, where the term as a whole has another."""


@dataclass(frozen=True, slots=True)
class PageMeta:
    """The part of a page's front matter that this package reads."""

    summary: str = ""
    cuda: Cuda | None = None
    chapter: bool = True
    """On the first page of a section: whether the section is a chapter of the book."""


@cache
def modal_slugs() -> frozenset[str]:
    """Return the pages of Modal's GPU Glossary, as its repository listed them (modal-labs/gpu-glossary@ec7919a)."""
    return frozenset(resources.files(__package__).joinpath("modal_slugs.txt").read_text(encoding="utf-8").split())


def modal_url(slug: str) -> str:
    """Return the address of a page of Modal's GPU Glossary."""
    return MODAL_URL + slug


_NAMES = {
    **{word: word.upper() for word in ("api", "cuda", "gpu", "ptx", "ram", "sm", "tma")},
    **{"cublas": "cuBLAS", "cudnn": "cuDNN", "cutlass": "CUTLASS", "cute": "CuTe", "dsl": "DSL", "cupti": "CUPTI"},
    **{"cutile": "cuTile", "nvrtc": "NVRTC", "nvml": "NVML", "nvidia": "NVIDIA", "nsight": "Nsight", "c": "C++"},
    **{word: word for word in ("libcuda", "libcudart", "libnvml", "nvcc")},
    "littles": "Little\u2019s",
}
"""Words of Modal's slugs that are not written as words."""


def modal_title(slug: str) -> str:
    """Return a readable name for a slug: ``perf/memory-coalescing`` is "Memory coalescing"."""
    words = [_NAMES.get(word, word) for word in slug.rpartition("/")[2].split("-")]
    return " ".join((words[0] if words[0] in _NAMES.values() else words[0].capitalize(), *words[1:]))


def split_front_matter(text: str) -> tuple[str, int]:
    """Return the YAML between the ``---`` lines and how many lines the whole block takes; ("", 0) without one.

    Prose between two rules is none: as MkDocs sees it, front matter has keys.
    """
    match = _FENCE.match(text)
    if match is None or (match["yaml"].strip() and not _KEYED.search(match["yaml"])):
        return "", 0
    return match["yaml"], text.count("\n", 0, match.end())


def read_front_matter(text: str, path: str) -> tuple[PageMeta, list[Diagnostic]]:
    """Read the front matter of a page; *text* is the whole file.

    Returns what could be read and every problem with file and line. Raises MetalworkingError for bad YAML.
    """
    block, _ = split_front_matter(text)
    document = load_yaml(block, path, first_line=2)
    if document.data is None:
        return PageMeta(), []
    problems = list(document.problems("front_matter.schema.json"))
    if problems:
        return PageMeta(), problems
    return page_meta(document.data), list(_check_slugs(document))


def page_meta(meta: Mapping[str, Any]) -> PageMeta:
    """Build the page data from front matter that was checked before."""
    entry = meta.get("cuda")
    cuda = None
    if entry:
        cuda = Cuda(
            term=entry["term"],
            verdict=Verdict(entry["verdict"]),
            modal=tuple(entry.get("modal") or ()),
            apis=tuple(entry.get("apis") or ()),
            carries=entry.get("carries", ""),
            misleads=entry.get("misleads", ""),
            aspect=entry.get("aspect", ""),
        )
    return PageMeta(str(meta.get("summary") or ""), cuda, meta.get("chapter") is not False)


def _check_slugs(document: YamlDocument) -> list[Diagnostic]:
    slugs = (document.data.get("cuda") or {}).get("modal") or []
    found = []
    for index, slug in enumerate(slugs):
        if slug not in modal_slugs():
            hint = did_you_mean(slug, modal_slugs(), "see modal.com/gpu-glossary", 0.4)
            where = document.location("cuda", "modal", index)
            found.append(Diagnostic(Severity.ERROR, "modal", f"Modal has no page {slug!r}", hint, where))
    return found
