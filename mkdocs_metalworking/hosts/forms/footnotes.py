"""Footnotes of a page made simple: in words behind what they support, or as notes at its end."""

from __future__ import annotations

from collections import defaultdict

from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement

from .works import Works, shorten

LONG = 300
"""Letters of a footnote that stands behind each of its references; a longer one with several is told once."""
_REFERENCE = "sup[id^='fnref']"
_BLOCKS = ("p", "div", "pre", "ul", "ol", "dl", "table", "blockquote", "details", "figure", "hr", "section", "aside")


def referred_to(soup: BeautifulSoup) -> set[str]:
    """Return the ids of the footnotes that something on the page refers to."""
    return {key for reference in soup.select(_REFERENCE) if (key := _target(reference))}


def place_footnotes(soup: BeautifulSoup, works: Works | None, told: set[str]) -> None:
    """Put the text of each footnote behind the words that it supports, with its links, or short and with *works*.

    What is no running text, has footnotes of its own, is referred to by nothing, or is long and referred to more than
    once stays a note at the end of the page.
    One of *told* to which nothing on the page refers now went with what referred to it.
    """
    references: defaultdict[str, list[Tag]] = defaultdict(list)
    for reference in soup.select(_REFERENCE):
        references[_target(reference)].append(reference)
    number = 0
    for place in filter(_is_list, soup.select("div.footnote")):
        kept: list[Tag] = []
        for note in place.select(":scope > ol > li"):
            key = str(note.get("id"))
            for back in note.select(".footnote-backref"):
                back.decompose()
            words = _words(note)
            if words is not None and len(references[key]) > 1 and len(words.get_text()) > LONG:
                words = None
            if key in told and words is not None:
                for reference in references[key]:
                    reference.replace_with(_behind(soup, words, works))
            elif key not in told or references[key]:
                number += 1
                label = soup.new_tag("p")
                label.string = f"Note {number}:"
                kept += [label, note]
                for reference in references[key]:
                    reference.replace_with(f" (note {number})")
        for element in kept:
            element.extract()
        place.clear()
        place.extend(kept)
        for note in kept:
            note.name = "div" if note.name == "li" else note.name


def _is_list(place: Tag) -> bool:
    """Tell whether *place* is a list of footnotes, and nothing that has only its class."""
    told = [part for part in place.contents if _tells(part)]
    lists = [part for part in told if isinstance(part, Tag) and part.name == "ol"]
    rules = [part for part in told if isinstance(part, Tag) and part.name == "hr"]
    items = place.select(":scope > ol > *")
    named = all(item.name == "li" and str(item.get("id")).startswith("fn") for item in items)
    return len(lists) == 1 and len(lists) + len(rules) == len(told) and named


def _target(reference: Tag) -> str:
    link = reference.select_one("a[href^='#']")
    return str(link["href"])[1:] if link is not None else ""


def _words(note: Tag) -> Tag | None:
    """Return what holds the text of *note*, where that is running text and all of it."""
    for part in note("p"):
        if not part.get_text().strip() and part.find(True) is None:
            part.decompose()
    told = [part for part in note.contents if _tells(part)]
    holder = told[0] if len(told) == 1 and isinstance(told[0], Tag) and told[0].name == "p" else note
    if holder.find(_BLOCKS) is not None or note.select_one(_REFERENCE) is not None:
        return None
    cite = holder.select_one(".mw-cite")
    alone = cite is not None and not any(map(_tells, (part for part in holder.contents if part is not cite)))
    return cite if alone else holder


def _tells(part: PageElement) -> bool:
    return isinstance(part, Tag) or bool(str(part).strip())


def _behind(soup: BeautifulSoup, words: Tag, works: Works | None) -> Tag:
    """Return a copy of *words* in parentheses, or the number of the work that they name."""
    span = soup.new_tag("span")
    for part in words.contents:
        span.append(part.__copy__())
    if span.contents and isinstance(span.contents[-1], str):
        span.contents[-1].replace_with(str(span.contents[-1]).rstrip().removesuffix("."))
    cited = works is not None and "mw-cite" in (words.get("class") or ())
    if works is None or not cited or not shorten(span, works):
        span.insert(0, " (")
        span.append(")")
    return span
