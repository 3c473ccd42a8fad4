"""Where text in finished HTML is shown as it was typed: in code, in comments, in attributes."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

from .tracking import MARK

LITERAL = frozenset({"code", "pre", "script", "style", "samp", "kbd", "textarea", "tt", "title", "option"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.texts: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in LITERAL:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.texts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        self.handle_data(unescape(f"&#{name};"))


def prose(html: str) -> str:
    """Return the text of *html* that a reader takes for prose."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "".join(reader.texts)


def marks_in_prose(html: str) -> set[str]:
    """Return the marks in *html* that stand in prose."""
    return {match[0] for match in MARK.finditer(prose(html))}
