"""A page of the book as Markdown: its twin."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from posixpath import dirname, relpath
from typing import Any
from urllib.parse import quote, unquote

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

from ...quote.fences import longer_ticks
from .fences import Fences
from .leaves import on_site, too_deep, within
from .twin import QUOTED, simplify
from .volume import Leaf, Volume
from .works import Works

# What Markdown and GitHub's extensions of it would read in running text; an underscore within a word is none of it.
# A mark of exclamation at the end of a text may stand before a link, and number signs may close a heading.
_INLINE = re.compile(r"[\\`*\[\]<~]|!(?=$)|#(?=#*$)|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"^(\s*)([-+=>|]|#{1,6}(?=\s|$))")
_NUMBER = re.compile(r"^(\s*[0-9]{1,9})([.)])(?=\s|$)")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_URL = re.compile(r"[\s()<>\\]")
_BAR = re.compile(r" ?(?<!\\)\| ?")
_LANGUAGE = re.compile(r"language-([\w+#.-]*)", re.ASCII)
"""A word, in which no other one can seem to stand."""
_COUNT = re.compile(r"-?[0-9]{1,9}")
_NUMBERED = "data-number"
"""What an item of a numbered list has while a page is converted."""
_RULE = re.compile(r"\|(?: --- \|)+")


class _Converter(MarkdownConverter):
    """markdownify, where it lets text leave its place: fences, code, links, and what begins a block."""

    def __init__(self) -> None:
        super().__init__(heading_style=ATX, autolinks=False)
        self.fences = Fences()

    def page(self, soup: BeautifulSoup) -> str:
        """Return the page, once."""
        _number_items(soup)
        return f"{self.fences.finish(str(self.convert_soup(soup)).strip())}\n"

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Return *text* so that Markdown shows it as it is."""
        text = _INLINE.sub(r"\\\g<0>", _SPACE.sub(" ", text))
        text = _AT_START.sub(r"\1\\\2", text)
        text = _NUMBER.sub(r"\1\\\2", text)
        return text.replace("|", r"\|") if _in_table(parent_tags) else text

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a fence; of quoted code its first line says so."""
        if _in_table(parent_tags):
            return self.convert_code(el, text, parent_tags - {"pre"})
        # A return ends a line of Markdown like any other: in a list or a quotation all behind it would leave the code.
        code = el.get_text().replace("\r", "\u240d")
        names = (_LANGUAGE.fullmatch(str(name)) for name in el.get("class") or ())
        language = next((name[1] for name in names if name), "")
        return f"\n\n{self.fences.of(code, language, quoted=QUOTED in el.attrs)}\n\n"

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a span of code in more backticks than it holds; in a table a bar in it would end the cell."""
        code = _SPACE.sub(" ", el.get_text())
        if "pre" in parent_tags or not code.strip():
            return text
        ticks = longer_ticks(code, 1)
        edge = " " if code[0] in "` " or code[-1] in "` " else ""
        made = f"{ticks}{edge}{code}{edge}{ticks}"
        return made.replace("|", r"\|") if _in_table(parent_tags) else made

    convert_kbd = convert_samp = convert_code

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a power with a sign before it: two to the 31st is no number of three digits."""
        return f"^{text}" if text.strip() else text

    def convert_sub(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return an index with a line before it."""
        return rf"\_{text}" if text.strip() else text

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return an item with its own number, or with a dash, and what belongs to it below its first word."""
        words = text.strip()
        if not words:
            return "\n"
        mark = f"{el[_NUMBERED]}. " if _NUMBERED in el.attrs else "- "
        first, *others = words.split("\n")
        return "\n".join((mark + first, *(" " * len(mark) + line if line else "" for line in others))) + "\n"

    def convert_video(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a link to the film."""
        source = el if el.get("src") else el.find("source", src=True)
        url = str(source.get("src") or "") if source is not None else ""
        words = text.strip() or self.escape(PurePosixPath(url).name, parent_tags)
        return f"[{words}]({address(url)})" if url else text

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a link without a title, to an address that cannot end early."""
        href = str(el.get("href") or "")
        words = text.strip()
        return f"[{words}]({address(href)})" if href and words else text

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return an image with its words escaped."""
        return f"![{self.escape(str(el.get('alt') or ''), parent_tags)}]({address(str(el.get('src') or ''))})"


def _in_table(parent_tags: set[str]) -> bool:
    return bool({"td", "th"} & set(parent_tags))


def address(url: str) -> str:
    """Return *url* so that it cannot end early."""
    return _URL.sub(lambda match: f"%{ord(match[0]):02X}", url)


class _Narrow(_Converter):
    """The same, with no blanks beside the bars of tables."""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return the table; a bar within a cell has a backslash before it."""
        made: str = super().convert_table(el, text, parent_tags)  # type: ignore[misc]
        return "\n".join(
            _BAR.sub("|", line.replace("---", "-") if _RULE.fullmatch(line) else line) for line in made.split("\n")
        )


_PLAIN = _Converter()


def to_markdown(html: str, leaf: Leaf, volume: Volume, works: Works | None = None) -> str:
    """Return the page *leaf* as Markdown; *works* is for the one file of all pages, as in *simplify*.

    Raises MetalworkingError (``depth``) for a page whose elements stand in each other too deep.
    """
    try:
        return _to_markdown(html, leaf, volume, works)
    except RecursionError as error:
        raise too_deep(leaf) from error


def _to_markdown(html: str, leaf: Leaf, volume: Volume, works: Works | None) -> str:
    soup = BeautifulSoup(html, "html.parser")
    if leaf.heading and (first := soup.find("h1")) is not None:
        first.string = leaf.heading
    if works is None:
        simplify(soup)
        for link in soup("a", href=True):
            _point(link, leaf, volume)
        return _Converter().page(soup)
    links = [link for link in soup("a", href=True) if not str(link["href"]).startswith("#")]
    told = {str(link["href"]) for link in links if _point(link, leaf, volume, whole=True)}
    simplify(soup, works)
    for link in soup("a", href=True):
        if link["href"] in told or str(link["href"]).startswith("#"):
            link.unwrap()  # a page of the book is in the same file, and what is not is told once a page
        else:
            told.add(str(link["href"]))
    return _Narrow().page(soup)


def _number_items(soup: BeautifulSoup) -> None:
    """Give each item of a numbered list its number, and take numbers away that are none to a browser."""
    for cell in soup.select("[colspan]"):
        if not re.fullmatch("[0-9]{1,4}", str(cell["colspan"])):
            del cell["colspan"]
    for listed in soup("ol"):
        items = listed.find_all("li", recursive=False)
        step = -1 if "reversed" in listed.attrs else 1
        number = _count(listed.get("start"), 1 if step == 1 else len(items))
        for item in items:
            number = _count(item.get("value"), number)
            item[_NUMBERED] = str(max(0, number))
            number += step


def _count(told: object, other: int) -> int:
    return int(str(told)) if _COUNT.fullmatch(str(told)) else other


def _point(link: Tag, leaf: Leaf, volume: Volume, *, whole: bool = False) -> bool:
    """Let a link lead to the twin of its page, relative; to the site, where that is known, for what has none.

    For the one file of all pages, the *whole*, relative to that. Returns whether it has a twin.
    """
    parts = within(str(link["href"]), leaf, volume)
    if parts is None:
        return False
    found = volume.by_url.get(unquote(parts.path))
    if found is None:
        if volume.address:
            link["href"] = on_site(parts, volume)
        return False
    place = f"#{parts.fragment}" if parts.fragment else ""
    link["href"] = quote(relpath(twin_of(found), "." if whole else dirname(twin_of(leaf)) or ".")) + place
    return True


def twin_of(leaf: Leaf) -> str:
    """Return where a page's twin lies: ``index.md`` beside its ``index.html``, else its name with another ending."""
    url = unquote(leaf.url)
    if not url or url.endswith("/"):
        return f"{url.removeprefix('./')}index.md"
    return str(PurePosixPath(url).with_suffix(".md"))


def as_text(text: str) -> str:
    """Return *text* so that Markdown shows it as it is, in one line."""
    escaped: Any = _PLAIN.escape(" ".join(text.split()), set())
    return str(escaped)
