"""Markdown of a page for readers that take no HTML: excerpts as fences with permalinks, citations as links.

This is what mkdocs-llmstxt calls a preprocessor; the book plugin names it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

LANGUAGES = {
    "metal": "metal",
    "h": "cpp",
    "hpp": "cpp",
    "cpp": "cpp",
    "cc": "cpp",
    "c": "c",
    "m": "objective-c",
    "mm": "objective-c",
    "cu": "cuda",
    "cuh": "cuda",
    "py": "python",
    "swift": "swift",
    "rs": "rust",
    "md": "markdown",
    "txt": "cmake",
    "sh": "sh",
}
_GONE = ".headerlink, .mw-filter, .mw-az-jump, .mw-place, .mw-linked-from, input, script, button, .mw-used:empty"


def preprocess(soup: BeautifulSoup, output: str) -> None:  # noqa: ARG001  # the name and arguments are llmstxt's
    """Change *soup*, a page, in place."""
    for element in soup.select(_GONE):
        element.decompose()
    for figure in soup.select("figure.mw-excerpt"):
        _excerpt(soup, figure)
    for svg in soup("svg"):
        _drawing(soup, svg)
    for callout in soup.select("aside.mw-cuda"):
        _callout(soup, callout)
    for verdict in soup.select(".mw-verdict"):
        verdict.string = f"({verdict.get_text()})"
    for heading in soup.select("h2, h3"):
        if heading.get_text() == "#":  # which would close a heading of Markdown
            heading.string = "Digits and marks"
    _citations(soup)
    for element in soup.select("figure, figcaption"):
        element.name = "div" if element.name == "figure" else "p"
    _autoclean(soup)


def _autoclean(soup: BeautifulSoup) -> None:
    from mkdocs_llmstxt import autoclean

    autoclean(soup)


def _excerpt(soup: BeautifulSoup, figure: Tag) -> None:
    """Make a paragraph and a fence of each part of an excerpt; the notes stay a list."""
    made: list[Any] = []
    title = figure.select_one(".mw-title")
    if title is not None:
        made.append(_paragraph(soup, _tag(soup, "strong", title.get_text())))
    repo, commit, license_ = (_text(figure, name) for name in (".mw-repo", ".mw-commit", ".mw-license"))
    files = figure.select(".mw-file")
    name = files[0].get_text().rpartition(":")[0] if files else ""
    parts = list(_parts(figure))
    for index, link in enumerate(files):
        lines = link.get_text().rpartition(":")[2].removeprefix(", ")
        word = "lines" if "\u2013" in lines else "line"
        where = _tag(soup, "a", f"{name}, {word} {lines}", href=link["href"])
        made.append(_paragraph(soup, where, f" of {repo} at {commit}, {license_}:"))
        if index < len(parts):
            language = LANGUAGES.get(name.rpartition(".")[2].lower(), "text")
            pre = soup.new_tag("pre", attrs={"class": f"language-{language}"})
            pre.append(_tag(soup, "code", "\n".join(parts[index])))
            made.append(pre)
        else:
            made.append(_paragraph(soup, "(Read it there; its bytes could not be had when this page was made.)"))
    notes = figure.select_one("ul.mw-notes")
    if notes is not None:
        for reference in notes.select("a.mw-ref"):
            reference.replace_with(f"{reference.get_text()}:")
        made.append(notes.extract())
    figure.clear()
    figure.name = "div"
    figure.extend(made)


def _parts(figure: Tag) -> Iterator[list[str]]:
    """Yield the lines of each part, as the author committed them."""
    lines: list[str] = []
    for element in figure.select(".mw-l, .mw-gap"):
        if "mw-gap" in (element.get("class") or ()):
            yield lines
            lines = []
            continue
        for mark in element.select(".mw-ctl"):
            mark.replace_with(chr(int(str(mark["data-cp"]), 16)))
        lines.append(element.get_text().removesuffix("\n"))
    if lines:
        yield lines


def _drawing(soup: BeautifulSoup, svg: Tag) -> None:
    """Say in words what a drawing shows, as its author did."""
    title, description = _text(svg, "title"), _text(svg, "desc")
    words = ". ".join(part.rstrip(".") for part in (title, description) if part)
    if words:
        svg.replace_with(_paragraph(soup, _tag(soup, "em", "Drawing."), f" {words}."))
    else:
        svg.decompose()


def _callout(soup: BeautifulSoup, callout: Tag) -> None:
    head = f"CUDA: {_text(callout, '.mw-cuda-term')} ({_text(callout, '.mw-verdict')})"
    old = callout.select_one(".mw-cuda-head")
    if old is not None:
        old.replace_with(_paragraph(soup, _tag(soup, "strong", head)))
    for title in callout.select(".mw-cuda-title"):
        title.replace_with(_paragraph(soup, _tag(soup, "em", title.get_text())))
    callout.name = "blockquote"


def _citations(soup: BeautifulSoup) -> None:
    """Put the text of each footnote, with its links, behind the words that it supports."""
    notes = {str(item.get("id")): item for item in soup.select(".footnote li")}
    for reference in soup.select("sup[id^='fnref']"):
        link = reference.select_one("a")
        note = notes.get(str(link["href"]).removeprefix("#")) if link is not None else None
        if note is None:
            continue
        span = soup.new_tag("span")
        span.append(" (")
        for part in _inline(note):
            span.append(part.__copy__())
        if isinstance(span.contents[-1], str):
            span.contents[-1].replace_with(str(span.contents[-1]).rstrip().removesuffix("."))
        span.append(")")
        reference.replace_with(span)
    for footnotes in soup.select(".footnote"):
        footnotes.decompose()


def _inline(note: Tag) -> Iterator[Any]:
    for back in note.select(".footnote-backref"):
        back.decompose()
    holder = note.select_one(".mw-cite") or note.select_one("p") or note
    yield from holder.contents


def _text(parent: Tag, selector: str) -> str:
    found = parent.select_one(selector)
    return " ".join(found.get_text().split()) if found is not None else ""


def _tag(soup: BeautifulSoup, name: str, text: str, **attributes: Any) -> Tag:
    made = soup.new_tag(name, attrs=attributes)
    made.string = text
    return made


def _paragraph(soup: BeautifulSoup, *parts: Any) -> Tag:
    made = soup.new_tag("p")
    made.extend(parts)
    return made
