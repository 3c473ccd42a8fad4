"""Every place where a citation's or a quantity's key stands: on pages, in what they bring in, in the data files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from ...markdown.tracking import Outcome
from ...quote.citations import Citation
from ...quote.diagnostics import MetalworkingError
from ...quote.directive import Span
from ...quote.formula import KEY
from ...quote.mentions import scan
from ...quote.quantity_mentions import QUANTITY, QuantityMention
from ..edits import Edit
from ..mkdocs.readers import reader_files
from .editing import Bench, met_at

_REFERENCE = re.compile(r"[a-z0-9][a-z0-9:._-]*")
_QUANTITY = re.compile(KEY)
_BROUGHT = (".svg", ".md", ".html", ".txt")
"""Files below docs that a page may bring in, where keys stand in brackets as on the page."""


@dataclass(frozen=True)
class Key:
    """The key of a reference, or of a quantity."""

    name: str
    quantity: bool


def key_at(bench: Bench, path: Path, offset: int) -> Key | None:
    """Return the key at *offset*: of a mention on a page, or of an entry of sources.yml or quantities.yml."""
    settings = bench.desk.project.settings
    page = bench.page(path)
    if page is not None:
        met = met_at(page, offset)
        return _key_of(met.mention.what) if met is not None else None
    text = bench.desk.text(path)
    start = text.rfind("\n", 0, offset) + 1
    line = text[start : text.find("\n", start) if "\n" in text[start:] else len(text)]
    if path == settings.sources and (match := re.match(r"\s*-?\s*key:\s*[\"']?([^\s\"',}]+)", line)):
        return Key(match[1], quantity=False)
    if path == settings.quantities and (match := re.match(rf"\s+({KEY}):", line)):
        return Key(match[1], quantity=True) if match[1] in bench.desk.project.quantities.by_key else None
    return None


def _key_of(what: object) -> Key | None:
    if isinstance(what, Citation) and what.reference:
        return Key(what.reference, quantity=False)
    return Key(what.key, quantity=True) if isinstance(what, QuantityMention) else None


def rename(bench: Bench, key: Key, new: str) -> Iterator[tuple[Path, list[Edit]]]:
    """Yield, file by file, the edits that give *key* the name *new*. Raises MetalworkingError (``rename``)."""
    project = bench.desk.project
    known = project.quantities.by_key if key.quantity else project.sources.by_key
    if not (_QUANTITY if key.quantity else _REFERENCE).fullmatch(new):
        hint = "letters, digits, . and - as in m5.bandwidth" if key.quantity else "small letters, digits, : . _ and -"
        raise MetalworkingError("rename", f"{new[:60]!r} is no key", hint)
    if new in known and new != key.name:
        raise MetalworkingError("rename", f"{new} is another key already", "choose one that nothing has")
    for path, spans in places_of(bench, key):
        yield path, [(span, new) for span in spans]


def places_of(bench: Bench, key: Key) -> Iterator[tuple[Path, list[Span]]]:
    """Yield every file that has *key*, with the places of the key itself."""
    desk = bench.desk
    settings, pages = desk.project.settings, set(desk.paths())
    for path in sorted(pages):
        if key.name in (text := desk.text(path)) and (spans := list(_on_page(bench, path, text, key))):
            yield path, spans
    docs = Path(desk.site.config.docs_dir)
    others = (path for path in sorted(docs.rglob("*")) if path.suffix in _BROUGHT and path not in pages)
    mapping = [settings.path(name)] if (name := desk.site.options.mapping) else []
    readers = list(reader_files(desk.project.quantities.readers, desk.site.root))
    plans: list[tuple[Path, Callable[[str, Key], Iterator[Span]]]] = [
        *((path, _in_brackets) for path in others),
        *((path, _in_mapping) for path in mapping),
        *((path, _in_quotes) for path in readers if key.quantity),
        (settings.sources, _in_sources),
        (settings.quantities, _in_quantities),
    ]
    for path, find in plans:
        if key.name in (text := desk.text(path)) and (spans := sorted(set(find(text, key)))):
            yield path, spans


def _on_page(bench: Bench, path: Path, text: str, key: Key) -> Iterator[Span]:
    """Yield the places on a page; what stands where text is literal is an example of something."""
    page = bench.page(path)
    literal = {met.place for met in page.met if met.outcome is Outcome.LITERAL} if page is not None else set()
    for mention in scan(text, quantities=True).mentions:
        if (mention.start, mention.end) in literal:
            continue
        if _key_of(mention.what) == key:
            yield mention.spans["key"]
        elif "title" in mention.spans:
            start, end = mention.spans["title"]
            yield from ((a + start, b + start) for a, b in _in_brackets(text[start:end], key))


def _in_brackets(text: str, key: Key) -> Iterator[Span]:
    """Yield the places in a text that is no page, such as a drawing."""
    if key.quantity:
        for match in QUANTITY.finditer(text):
            if match["inner"].split()[0] == key.name:
                yield match.start("inner"), match.start("inner") + len(key.name)
    else:
        for match in re.finditer(rf"\[@({re.escape(key.name)})(?=[\s,\]])", text):
            yield match.span(1)


def _in_quotes(text: str, key: Key) -> Iterator[Span]:
    for match in re.finditer(rf"([\"'`])({re.escape(key.name)})\1", text):
        yield match.span(2)


def _in_sources(text: str, key: Key) -> Iterator[Span]:
    yield from _in_brackets(text, key)
    for _, node in _values(text, "key"):
        if not key.quantity and node.value == key.name:
            yield _inside(text, node)


def _in_mapping(text: str, key: Key) -> Iterator[Span]:
    yield from _in_brackets(text, key)
    if not key.quantity:
        yield from _targets(text, "source", key.name)


def _in_quantities(text: str, key: Key) -> Iterator[Span]:
    if not key.quantity:
        yield from _targets(text, "cite", key.name)
        return
    yield from _in_brackets(text, key)
    word = re.compile(rf"(?<![\w.-]){re.escape(key.name)}(?![\w.-])")
    for _, node in _values(text, "formula"):
        for match in word.finditer(text, node.start_mark.index, node.end_mark.index):
            yield match.span()
    for entry in _entries(text):
        if entry.value == key.name:
            yield _inside(text, entry)


def _entries(text: str) -> Iterator[yaml.ScalarNode]:
    """Yield the keys of the quantities of a file."""
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if name.value == "quantities" and isinstance(value, yaml.MappingNode):
            yield from (key for key, _ in value.value if isinstance(key, yaml.ScalarNode))


def _targets(text: str, name: str, key: str) -> Iterator[Span]:
    """Yield the places of a reference where it stands without brackets: ``key, qualification``."""
    for _, node in _values(text, name):
        if node.value.partition(",")[0].strip() == key:
            start = _inside(text, node)[0]
            at = text.find(key, start)
            yield at, at + len(key)


def _values(text: str, name: str) -> Iterator[tuple[yaml.ScalarNode, yaml.ScalarNode]]:
    """Yield every scalar under a key *name*, those of lists one by one, with the key; none where the YAML is bad."""
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return
    todo, seen = [root], set[int]()
    while todo:
        node = todo.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            todo.extend(node.value)
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                todo.append(value)
                if isinstance(key, yaml.ScalarNode) and key.value == name:
                    listed = value.value if isinstance(value, yaml.SequenceNode) else [value]
                    yield from ((key, one) for one in listed if isinstance(one, yaml.ScalarNode))


def _inside(text: str, node: yaml.ScalarNode) -> Span:
    """Return where the value of a plain or quoted scalar stands in the text."""
    start, end = node.start_mark.index, node.end_mark.index
    return (start + 1, end - 1) if text[start : start + 1] in ("'", '"') else (start, end)
