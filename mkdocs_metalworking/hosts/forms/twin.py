"""A page's HTML made simple enough for Markdown: excerpts as code under a line of text, citations behind claims."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .footnotes import place_footnotes, referred_to
from .lifting import lift_code
from .screen_only import SCREEN_ONLY, ticked
from .works import Works

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
    "sh": "sh",
}
QUOTED = "data-quoted"
"""What the code of an excerpt has, and no other while a page is made simple."""
_GONE = ", ".join(
    (*(f"{tag}.{name}" for name, tag in SCREEN_ONLY.items()), "input", "script", "button", ".mw-used:empty")
)
_ELSEWHERE = "div.mw-sources, div.mw-az, tr.mw-more, p.mw-callout-links"


def simplify(soup: BeautifulSoup, works: Works | None = None) -> None:
    """Change *soup*, a page, in place.

    With *works*, for the one file of all pages, what a reader finds elsewhere in the file is left out: a work that is
    cited, and the file of an excerpt, is a number, entered in *works*. Left out are what terms.json has of each term
    beside its row, and the links of the callouts.
    """
    name_unseen(soup)
    for pre in soup.select(f"pre[{QUOTED}]"):  # an author's own
        del pre[QUOTED]
    for box in soup.select("li input[type=checkbox]"):
        box.replace_with(ticked("checked" in box.attrs))
    referred = referred_to(soup)
    for element in soup.select(_GONE if works is None else f"{_GONE}, {_ELSEWHERE}"):
        if element.select_one("figure.mw-excerpt") is None:
            element.decompose()
    told: set[int] = set()
    excerpts = [figure for figure in soup.select("figure.mw-excerpt") if _child(figure, "mw-caption") is not None]
    for figure in _inner_first(excerpts):
        _excerpt(soup, figure, works, told)
    for svg in soup("svg"):
        _drawing(soup, svg)
    for callout in soup.select("aside.mw-callout"):
        _callout(soup, callout)
    for verdict in soup.select("aside.mw-callout span.mw-verdict"):
        verdict.string = f"({verdict.get_text()})"
    for tabs in soup.select(".tabbed-set"):
        _lay_out_tabs(soup, tabs)
    for term in soup("dt"):  # in groups too, or in no list
        term.name = "strong"
        term.wrap(soup.new_tag("p"))
    for definition in soup("dd"):  # the lists of Markdown Extra are code to CommonMark
        definition.name = "li"
        definition.wrap(soup.new_tag("ul"))
    for listed in soup("dl"):
        listed.name = "div"
    for heading in soup.select("h2, h3"):
        if heading.get_text() == "#":  # which would close a heading of Markdown
            heading.string = "Digits and marks"
    place_footnotes(soup, works, referred)
    for element in soup.select("figure, figcaption"):
        element.name = "div" if element.name == "figure" else "p"
    for image in soup.select("img[src^='data:']"):
        image.decompose()
    for highlighted in soup.select("div.highlight pre, td.code pre"):
        _plain_code(soup, highlighted)
    lift_code(soup, excerpts)


def name_unseen(soup: BeautifulSoup) -> None:
    """Put the name of a character that nobody sees in the place of its mark, which a style sheet would show."""
    for mark in soup.select(".mw-ctl"):
        if re.fullmatch("[0-9a-f]{1,6}", code := str(mark.get("data-cp"))):
            mark.replace_with(f"U+{int(code, 16):04X}")
    soup.smooth()


def _plain_code(soup: BeautifulSoup, pre: Tag) -> None:
    """Make what Pygments coloured a block of code again, without the table of its line numbers."""
    if pre.find_parent(class_="linenos") is not None:
        return  # which goes with its table
    cell = pre.find_parent("td", class_="code")
    table = cell.find_parent("table") if cell is not None else None
    classes = " ".join(str(name) for parent in pre.parents for name in parent.get("class") or ())
    language = next((name for name in classes.split() if name.startswith("language-")), "")
    made = soup.new_tag("pre", attrs={"class": language})
    made.append(_tag(soup, "code", _unnumbered(pre).removesuffix("\n")))
    (table or pre).replace_with(made)


def _unnumbered(pre: Tag) -> str:
    """Return the text of *pre* without the numbers that a highlighter put before its lines."""
    parts: list[str] = []
    for text in pre.strings:
        begins = not parts or parts[-1].endswith("\n")
        holder = text.parent
        if begins and holder is not None and "linenos" in (holder.get("class") or ()) and text.strip().isdecimal():
            continue
        parts.append(text)
    return "".join(parts)


def _excerpt(soup: BeautifulSoup, figure: Tag, works: Works | None, told: set[int]) -> None:
    """Make a paragraph and a fence of each part of an excerpt; the notes stay a list.

    With *works* the file is a number, and *told* has those of which the page has told the license.
    """
    made: list[Any] = []
    # What the author wrote goes first: whatever classes it has, it is no line, no file and no caption.
    notes = _child(figure, "mw-notes")
    if notes is not None:
        notes.extract()
    title = figure.select_one(".mw-title")
    if title is not None:
        made.append(_paragraph(soup, _tag(soup, "strong", title.get_text())))
    files = figure.select(".mw-file")
    name = files[0].get_text().rpartition(":")[0] if files else ""
    ending = name.rpartition(".")[2].lower()
    language = "cmake" if name.lower().endswith("cmakelists.txt") else LANGUAGES.get(ending, "text")
    home, terms = _origin(figure)
    origin, short = f"{home}{terms}", works is not None and bool(files) and files[0].name == "a"
    if works is not None and short:
        number = works.file(home.removeprefix(" of "), str(files[0].get("title")), str(files[0].get("href")))
        name, origin = f"{name} [{number}]", "" if number in told else terms
        told.add(number)
    dedented = f", {said}" if (said := _text(figure, ".mw-dedented")) else ""
    parts = list(_parts(figure))
    for index, link in enumerate(files):
        lines = link.get_text().rpartition(":")[2].removeprefix(", ")
        word = "lines" if "\u2013" in lines else "line"
        shown = index < len(parts)
        linked = link.name == "a" and not (short and shown)
        where = _tag(soup, "a" if linked else "span", f"{name}, {word} {lines}", href=str(link.get("href", "")))
        made.append(_paragraph(soup, where, f"{origin}{dedented if shown else ''}:"))
        origin = origin if works is None else ""
        if shown:
            pre = soup.new_tag("pre", attrs={"class": f"language-{language}", QUOTED: ""})
            pre.append(_tag(soup, "code", "\n".join(parts[index])))
            made.append(pre)
        else:
            made.append(_paragraph(soup, "(Read it there; its bytes could not be had when this page was made.)"))
    if notes is not None:
        for reference in notes.select("a.mw-ref"):
            reference.replace_with(f"{reference.get_text()}:")
        made.append(notes)
    figure.clear()
    figure.name = "div"
    figure.extend(made)


def _child(parent: Tag, name: str) -> Tag | None:
    """Return the child of *parent* with the class *name*."""
    return next((one for one in parent.find_all(class_=name, recursive=False)), None)


def _inner_first(excerpts: list[Tag]) -> Iterator[Tag]:
    """Yield *excerpts* in their order, but what stands in the notes of one before that one."""
    around: list[Tag] = []
    for figure in excerpts:
        while around and not any(parent is around[-1] for parent in figure.parents):
            yield around.pop()
        around.append(figure)
    yield from reversed(around)


def _origin(figure: Tag) -> tuple[str, str]:
    """Return from where an excerpt is and under which terms, as far as its caption tells."""
    repo, commit, license_ = (_text(figure, name) for name in (".mw-repo", ".mw-commit", ".mw-license"))
    uncommitted = _text(figure, ".mw-uncommitted")
    parts = (f" of {repo}" if repo else "", f" at {commit}" if commit else "")
    rest = (word for word in (uncommitted, license_) if word)
    return "".join(parts), "".join(f", {word}" for word in rest)


def _parts(figure: Tag) -> Iterator[list[str]]:
    """Yield the lines of each part, as the author committed them, what nobody sees by its name."""
    lines: list[str] = []
    for element in figure.select(".mw-l, .mw-gap"):
        if "mw-gap" in (element.get("class") or ()):
            yield lines
            lines = []
            continue
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
    head = (
        f"{_text(callout, '.mw-callout-label')}: {_text(callout, '.mw-callout-term')} ({_text(callout, '.mw-verdict')})"
    )
    old = callout.select_one("p.mw-callout-head")
    if old is not None:
        old.replace_with(_paragraph(soup, _tag(soup, "strong", head)))
    for title in callout.select("p.mw-callout-title"):
        title.replace_with(_paragraph(soup, _tag(soup, "em", title.get_text())))
    callout.name = "blockquote"


def _lay_out_tabs(soup: BeautifulSoup, tabs: Tag) -> None:
    """Put each label above the content of its tab; within a tab others may stand."""
    labels = tabs.select(":scope > .tabbed-labels > label")
    blocks = tabs.select(":scope > .tabbed-content > .tabbed-block")
    for label, block in zip(labels, blocks, strict=False):
        block.insert(0, label.extract())
    for label in tabs.select(":scope > label, :scope > .tabbed-content > .tabbed-block > label:first-child"):
        label.replace_with(_paragraph(soup, _tag(soup, "strong", label.get_text())))


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
