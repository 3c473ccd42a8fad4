"""Page HTML as a short outline: which block stands in which container, and every quoted line with its number.

``3|`` is a quoted line, ``3*`` a highlighted one, ``~ 2 lines left out`` a gap. What a browser would show as text is
compared byte for byte, with the marks of invisible characters turned back.
"""

from __future__ import annotations

from html.parser import HTMLParser

BLOCKS = {"blockquote", "ul", "ol", "li", "dl", "dt", "dd", "details", "summary", "figure", "table", "tr", "td", "th"}
LEAVES = {"p", "h1", "h2", "h3", "pre", "figcaption"}


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.depth = 0
        self.stack: list[tuple[str, bool]] = []
        self.leaf: str | None = None
        self.text = ""
        self.number = ""
        self.code: list[str] | None = None
        self.mark: int | None = None
        self.literal = False

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "hr", "input", "img"):
            return
        a = {k: v or "" for k, v in attrs}
        classes = a.get("class", "").split()
        opened = False
        if "mw-l" in classes:
            self.code = []
            self.number = "*" if "mw-hl" in classes else "|"
        elif self.code is not None and "data-n" in a:
            self.number = a["data-n"] + self.number
        elif self.code is not None and "data-cp" in a:
            self.mark = int(a["data-cp"], 16)
            self.code.append(chr(self.mark))
        elif "mw-gap" in classes:
            self.emit("~ " + a["aria-label"])
        elif tag == "pre" and "mw-pre" not in classes:
            self.literal, self.text = True, ""
        elif self.literal:
            pass
        elif tag in BLOCKS or (tag in ("div", "aside") and classes and classes[0] in _SHOWN):
            self.flush()
            name = tag if tag in BLOCKS else classes[0]
            if tag == "figure" or "mw-notes" in classes or "mw-note" in classes:
                name = "card" if "mw-card" in classes else classes[0].removeprefix("mw-")
                name += f" {a['data-lines']}" if "data-lines" in a else ""
            self.emit(name)
            self.depth += 1
            opened = True
        elif tag in LEAVES and tag != "pre":
            self.flush()
            self.leaf, self.text = tag, ""
        self.stack.append((tag, opened))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("br", "hr", "input", "img"):
            return
        name, opened = self.stack.pop()
        assert name == tag, f"</{tag}> closes <{name}>"
        if self.mark is not None:
            self.mark = None
        elif self.code is not None and tag == "span" and "".join(self.code).endswith("\n"):
            self.emit(self.number + "".join(self.code)[:-1])
            self.code = None
        elif tag == "pre" and self.literal:
            self.literal = False
            for line in self.text.strip("\n").split("\n"):
                self.emit("literal " + line)
            self.text = ""
        elif tag in LEAVES:
            self.flush()
        if opened:
            self.flush()
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        assert self.mark is None, "the text of a mark can be selected"
        if self.code is not None:
            self.code.append(data)
        else:
            self.text += data

    def flush(self) -> None:
        if self.literal:
            return
        text = " ".join(self.text.split())
        if text:
            self.emit(f"{self.leaf or 'text'}: {text}")
        self.text, self.leaf = "", None


_SHOWN = {"admonition", "tabbed-set", "tabbed-block", "footnote", "mw-error", "mw-callout", "box"}


def outline(html: str) -> str:
    """Return the outline of *html*; the tags must nest."""
    parser = _Outline()
    parser.feed(html)
    parser.close()
    parser.flush()
    return "\n".join(parser.lines) + "\n"
