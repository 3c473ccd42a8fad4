"""The CUDA callout under a page's title, from its front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..glossary.callout import Cuda, modal_title, modal_url, read_front_matter, split_front_matter
from ..quote.diagnostics import MetalworkingError

if TYPE_CHECKING:
    from .extension import Work


class FrontMatterPreprocessor(Preprocessor):
    """Reads and removes YAML front matter where no host has done so.

    Priority 35: above ``meta`` (27), which would take the block and knows no YAML, and above snippets (32), so that
    nothing that they bring is taken for front matter.
    """

    PRIORITY = 35

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines below the front matter."""
        page = self._work.page
        if page.meta is not None or not lines or lines[0].rstrip() != "---":
            return lines
        text = "\n".join(lines) + "\n"
        try:
            page.meta, problems = read_front_matter(text, page.path)
        except MetalworkingError as problem:
            page.diagnostics.add(problem.diagnostic)
        else:
            page.diagnostics.extend(problems)
        return lines[split_front_matter(text)[1] :]


class CalloutProcessor(Treeprocessor):
    """Puts the callout right under the first heading.

    Priority 58: before citations (55) and inline patterns (20), so that both work inside it.
    """

    PRIORITY = 58

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Insert the summary and the callout, when the page has them.

        Being the first text of the page, the summary is also what a search result shows.
        """
        meta = self._work.page.meta
        if meta is None:
            return
        index = next((i + 1 for i, element in enumerate(root) if element.tag == "h1"), 0)
        if meta.cuda is not None:
            root.insert(index, self._callout(meta.cuda))
        if meta.summary and index:
            summary = Element("p", {"class": "mw-summary"})
            summary.text = _words(meta.summary)
            root.insert(index, summary)

    def _callout(self, cuda: Cuda) -> Element:
        aside = Element("aside", {"class": f"mw-cuda mw-v-{cuda.verdict}", "aria-label": "If you know CUDA"})
        head = SubElement(aside, "p", {"class": "mw-cuda-head"})
        label = SubElement(head, "span", {"class": "mw-cuda-label"})
        label.text, label.tail = AtomicString("CUDA"), " "
        term = SubElement(head, "span", {"class": "mw-cuda-term"})
        term.text, term.tail = _words(f"{cuda.term}: {cuda.aspect}" if cuda.aspect else cuda.term), " "
        SubElement(head, "span", {"class": "mw-verdict"}).text = AtomicString(cuda.verdict.label)
        for name, title, text in (("carries", "Carries over", cuda.carries), ("misleads", "Misleads", cuda.misleads)):
            if text.strip():
                self._part(aside, name, title, text)
        if cuda.modal:
            links = SubElement(aside, "p", {"class": "mw-cuda-modal"})
            links.text = AtomicString("In Modal\u2019s GPU Glossary: ")
            for index, slug in enumerate(cuda.modal):
                link = SubElement(links, "a", {"href": modal_url(slug)})
                link.text = AtomicString(modal_title(slug))
                link.tail = AtomicString(", " if index + 1 < len(cuda.modal) else "")
        return aside

    def _part(self, aside: Element, name: str, title: str, text: str) -> None:
        part = SubElement(aside, "div", {"class": f"mw-cuda-{name}"})
        SubElement(part, "p", {"class": "mw-cuda-title"}).text = AtomicString(title)
        self._work.md.parser.parseChunk(part, self._work.tracker.front(text))


def _words(text: str) -> AtomicString:
    """Return *text* as a reader shall see it: Python-Markdown would take ``&lt;`` in it for a character reference."""
    return AtomicString(text.replace("&", "&amp;"))
