"""What a reader's clipboard gets from an excerpt's HTML, read by a parser that knows nothing of how it was made."""

from __future__ import annotations

from html.parser import HTMLParser

ALLOWED = frozenset({"pre", "span", "code", "a"})


class Unsafe(AssertionError):
    """The HTML of code holds something else than code."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: dict[int, str] = {}
        self._stack: list[str] = []
        self._number: int | None = None
        self._depth = 0
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in ALLOWED:
            raise Unsafe(f"<{tag}> in code")
        if bad := [name for name in given if name.startswith("on") or name in ("style", "srcdoc", "src")]:
            raise Unsafe(f"{bad} in code")
        if tag == "a" and not given["href"].startswith("#--"):
            raise Unsafe(f"a link to {given['href']} in code")
        classes = given.get("class", "").split()
        if "mw-l" in classes:
            if self._number is not None:
                raise Unsafe("a line inside a line")
            self._depth = len(self._stack)
            self._number = -1
            self._text = []
        elif tag == "a":
            if self._number != -1:
                raise Unsafe("a number that is not at the head of its line")
            self._number = int(given["data-n"])
        elif "mw-ctl" in classes:
            self._text.append(chr(int(given["data-cp"], 16)))
            tag = "mark"
        self._stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        opened = self._stack.pop()
        if opened != tag and (opened, tag) != ("mark", "span"):
            raise Unsafe(f"<{opened}> ended by </{tag}>")
        if self._number is not None and len(self._stack) == self._depth:
            if self._number in self.lines:
                raise Unsafe(f"two lines have the number {self._number}")
            text = "".join(self._text)
            if not text.endswith("\n"):
                raise Unsafe(f"line {self._number} is not ended")
            self.lines[self._number] = text[:-1]
            self._number = None

    def handle_data(self, data: str) -> None:
        if self._stack and self._stack[-1] == "mark":
            return
        if self._number is not None:
            self._text.append(data)
        elif data.strip():
            raise Unsafe(f"text outside of the lines: {data[:40]!r}")

    def handle_comment(self, data: str) -> None:
        raise Unsafe("a comment in code")

    def handle_decl(self, decl: str) -> None:
        raise Unsafe("a declaration in code")

    handle_pi = unknown_decl = handle_decl


def read_code(html: str) -> dict[int, str]:
    """Return the text of each line by its number; raises Unsafe when *html* is anything but numbered lines."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if reader._stack:
        raise Unsafe(f"not closed: {reader._stack}")
    return reader.lines
