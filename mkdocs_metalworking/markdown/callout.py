"""The callout under a page's title, from its front matter."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..glossary.callout import Callout, Callouts, split_front_matter, with_quantities
from ..quote.diagnostics import MetalworkingError
from .work import Work


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
            page.meta, problems = self._work.asked.front_matter(text, page.path)
        except MetalworkingError as problem:
            page.diagnostics.add(problem.diagnostic)
        else:
            page.meta, more = with_quantities(page.meta, self._work.quantities, text, page.path)
            page.diagnostics.extend([*problems, *more])
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
        callouts = self._work.asked.callouts
        if meta.callout is not None and callouts is not None:
            root.insert(index, self._callout(meta.callout, callouts))
        if meta.summary and index:
            summary = Element("p", {"class": "mw-summary"})
            summary.text = _words(meta.summary)
            root.insert(index, summary)

    def _callout(self, found: Callout, callouts: Callouts) -> Element:
        labels = self._work.labels
        name = labels["if_you_know"].format(source=callouts.source)
        aside = Element("aside", {"class": f"mw-callout mw-v-{found.verdict}", "aria-label": name})
        head = SubElement(aside, "p", {"class": "mw-callout-head"})
        label = SubElement(head, "span", {"class": "mw-callout-label"})
        label.text, label.tail = _words(callouts.source), " "
        term = SubElement(head, "span", {"class": "mw-callout-term"})
        term.text, term.tail = _words(f"{found.term}: {found.aspect}" if found.aspect else found.term), " "
        SubElement(head, "span", {"class": "mw-verdict"}).text = _words(labels[found.verdict.value])
        for part, text in (("carries", found.carries), ("misleads", found.misleads)):
            if text.strip():
                self._part(aside, part, labels[part], text)
        lists = {one.name: one for one in callouts.links}
        for listed, slugs in found.links:
            known = lists[listed]
            links = SubElement(aside, "p", {"class": "mw-callout-links"})
            links.text = _words(f"{known.label}: ")
            for index, slug in enumerate(slugs):
                link = SubElement(links, "a", {"href": known.url + slug})
                link.text = _words(known.title(slug))
                link.tail = AtomicString(", " if index + 1 < len(slugs) else "")
        return aside

    def _part(self, aside: Element, name: str, title: str, text: str) -> None:
        part = SubElement(aside, "div", {"class": f"mw-callout-{name}"})
        SubElement(part, "p", {"class": "mw-callout-title"}).text = _words(title)
        self._work.md.parser.parseChunk(part, self._work.tracker.front(text))


def _words(text: str) -> AtomicString:
    """Return *text* as a reader shall see it: Python-Markdown would take ``&lt;`` in it for a character reference."""
    return AtomicString(text.replace("&", "&amp;"))
