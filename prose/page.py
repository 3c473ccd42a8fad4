"""The prose of a page: what its reader reads as sentences, with the line of each piece in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

CITATION, CODE, FIGURE = "†", "▮", "0"
"""What stands in a piece for a citation, for inline code, and for a quantity."""

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_BOX = re.compile(r"(?:!!!|\?\?\?\+?|===\+?!?)[ \t]")
_DIRECTIVE = re.compile(r"[ \t]*(?:<<[ \t]*excerpt\b.*>>|--8<--.*|<!--.*-->)[ \t]*$")
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*[.#][^}\n]*\}")
_CITED = re.compile(r"[ \t]*\[@[^\[\]]*\]")
_QUANTITY = re.compile(r"\[=[^\[\]]*\]")
_NOTE = re.compile(r"L\d+(?:-\d+)?:[ \t]*")
_CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_INLINE = MarkdownIt("commonmark").enable("table")


class Kind(Enum):
    """Where a piece stands."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    CELL = "cell"
    HEADING = "heading"
    NOTE = "note"
    """On a line of an excerpt."""
    FRONT = "front matter"
    CAPTION = "caption"


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, item, cell, heading or the like. ``text`` keeps its line breaks; ``line`` counts from 1.

    ``links`` are the addresses that it links to.
    """

    kind: Kind
    line: int
    text: str
    links: tuple[str, ...] = ()


def read(source: str) -> list[Piece]:
    """Return the prose of the page *source*, without code, excerpts, addresses and markup."""
    front = _FRONT.match(source)
    body, above = source, 0
    pieces: list[Piece] = []
    if front:
        pieces.extend(_front_matter(front[1]))
        above = front[0].count("\n")
        body = source[front.end() :]
    lines = [_DIRECTIVE.sub("", line) for line in _unboxed(body.split("\n"))]
    pieces.extend(_body(_INLINE.parse("\n".join(lines)), above))
    return [piece for piece in pieces if piece.text.strip()]


def _front_matter(text: str) -> Iterator[Piece]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "summary":
            yield _from_yaml(value)
        elif key.value == "cuda" and isinstance(value, yaml.MappingNode):
            yield from (_from_yaml(part) for name, part in value.value if name.value in {"carries", "misleads"})


def _from_yaml(node: yaml.Node) -> Piece:
    # The mark is on the line of the key; a folded text begins below it, but its own line breaks are gone.
    token = _INLINE.parseInline(str(node.value).strip())[0]
    text, links = _plain(token.children or [])
    return Piece(Kind.FRONT, node.start_mark.line + 2, text, links)


def _unboxed(lines: list[str]) -> Iterator[str]:
    """Yield *lines* with the content of admonitions and tabs at the margin, where it would be code."""
    depth = 0
    for line in lines:
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if bare and indent < depth:
            depth = indent - indent % 4
        if _BOX.match(bare):
            depth += 4
            yield ""
        else:
            yield line[min(depth, indent) :]


def _body(tokens: list[Token], above: int) -> Iterator[Piece]:
    line, around = 0, [Kind.PARAGRAPH]
    for token in tokens:
        line = token.map[0] if token.map else line
        match token.type:
            case "list_item_open":
                around.append(Kind.ITEM)
            case "heading_open":
                around.append(Kind.HEADING)
            case "th_open" | "td_open":
                around.append(Kind.CELL)
            case "list_item_close" | "heading_close" | "th_close" | "td_close":
                around.pop()
            case "inline":
                text, links = _plain(token.children or [])
                note = _NOTE.match(text) if around[-1] is Kind.ITEM else None
                kind = Kind.NOTE if note else around[-1]
                yield Piece(kind, above + line + 1, text[note.end() :] if note else text, links)
            case "html_block":
                for caption in _CAPTION.finditer(token.content):
                    at = above + line + 1 + token.content.count("\n", 0, caption.start())
                    yield Piece(Kind.CAPTION, at, _marked(_TAG.sub("", caption[1])))


def _plain(tokens: list[Token]) -> tuple[str, tuple[str, ...]]:
    """Return the text of inline *tokens* and the addresses that they link to."""
    parts, links = [], []
    for token in tokens:
        if token.type == "text":
            parts.append(token.content)
        elif token.type == "code_inline":
            parts.append(CODE)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif token.type == "link_open":
            links.append(str(token.attrGet("href") or ""))
    return _marked("".join(parts)), tuple(links)


def _marked(text: str) -> str:
    return _QUANTITY.sub(FIGURE, _CITED.sub(CITATION, _ATTRIBUTES.sub("", text)))
