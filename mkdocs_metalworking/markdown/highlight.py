"""Lines of code to HTML: tokens by Pygments, invisible characters made visible, text never changed.

Pygments' ``Lexer.get_tokens`` rewrites line endings and strips blank lines; here the lexer is asked for raw tokens, and
their concatenation is compared with the text, so a lexer that loses a character costs colours, never code.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from io import StringIO
from typing import Protocol

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import STANDARD_TYPES, Text, Whitespace, _TokenType
from pygments.util import ClassNotFound

from ..quote.diagnostics import MetalworkingError
from .highlight_pool import Job
from .lexer import MetalLexer
from .visible import plainly_visible, show_hidden, unmark

FORMAT = f"5:{pygments.__version__}"
"""Changes whenever the HTML of a line changes, so that cached lines are made anew."""

_LOG = logging.getLogger(__name__)
_LONGEST_LINE = 20_000
"""Characters; a lexer that looks back and forth on a longer line takes the square of it."""
_SECONDS = 2.0
"""Processor time that the colours of one excerpt may take."""

_METAL_HEADER = re.compile(
    r"metal_stdlib|\bthreadgroup\b|\bsimdgroup_|\bconstant\s+\w+\s*&|\[\[\s*(?:buffer|kernel|thread_)", re.ASCII
)
_C_FAMILY = re.compile(r"\.(?:metal|h|hh|hpp|c|cc|cpp|cxx|m|mm|cu|cuh|swift|rs|js|ts|java|go)$", re.ASCII)


@cache
def lexer_named(alias: str) -> Lexer:
    """Return the lexer called *alias*; raises MetalworkingError (``lang``) when Pygments has none."""
    try:
        found: Lexer = MetalLexer() if alias in MetalLexer.aliases else get_lexer_by_name(alias)
    except ClassNotFound as error:
        raise MetalworkingError("lang", f"Pygments has no lexer {alias!r}", "see pygments.org/languages") from error
    return found


def lexer_for(path: str, lines: Iterable[str]) -> Lexer:
    """Return the lexer for a file; a ``.h`` that speaks Metal is Metal, any other is C++."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(".metal"):
        return lexer_named("metal")
    if name.endswith((".h", ".hpp")):
        return lexer_named("metal") if _METAL_HEADER.search("\n".join(lines)) else lexer_named("cpp")
    if name.endswith(".m"):
        return lexer_named("objective-c")
    try:
        return lexer_named(get_lexer_for_filename(name).aliases[0])
    except (ClassNotFound, IndexError):
        return lexer_named("text")


def opening_comment(before: Sequence[str], path: str) -> Sequence[str]:
    """Return the lines above an excerpt from the start of a block comment that reaches into it, or nothing."""
    if not _C_FAMILY.search(path.lower()):
        return ()
    for index in range(len(before) - 1, max(-1, len(before) - 400), -1):
        opened, closed = before[index].rfind("/*"), before[index].rfind("*/")
        if opened > closed and "//" not in before[index][:opened]:
            return before[index:]
        if closed >= 0:
            return ()
    return ()


class TooSlow(Exception):
    """A lexer that takes too long; the text is shown without colours."""


def highlight_lines(lines: Sequence[str], lexer: Lexer, *, lead: Sequence[str] = ()) -> list[str]:
    """Return one piece of HTML for each of *lines*, spans closed at every line's end.

    *lead* is read first and not returned. If the lexer does not give the text back whole, the lines come uncoloured.
    Raises TooSlow when colours would take longer than anyone waits.
    """
    # Ended by a line feed, without which most lexers do not see a comment that ends the text.
    text = "\n".join((*lead, *lines, ""))
    tokens = list(_tokens(lexer, text, lines))
    if "".join(value for _, value in tokens) != text:
        return plain_lines(lines)
    out = StringIO()
    HtmlFormatter(nowrap=True).format(tokens or [(Text, text)], out)
    found = out.getvalue().removesuffix("\n").split("\n")[len(lead) :]
    found += [""] * (len(lines) - len(found))  # the formatter leaves out a last line that is empty
    return [show_hidden(line) for line in found]


def _tokens(lexer: Lexer, text: str, lines: Sequence[str]) -> Iterator[tuple[_TokenType, str]]:
    if max(map(len, lines), default=0) > _LONGEST_LINE:
        raise TooSlow
    end = time.thread_time() + _SECONDS
    for count, (_, kind, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if not count % 16 and time.thread_time() > end:
            raise TooSlow
        if value:
            # White space needs no color; without its spans a page of code is a fifth smaller.
            yield (Text if kind in Whitespace else kind), value  # type: ignore[comparison-overlap]


@cache
def tell_slow(path: str) -> None:
    """Warn, once for a file, that its colours would take too long."""
    _LOG.warning("%s is shown without colours: its lexer takes too long for it (lang=text ends this warning)", path)


def plain_lines(lines: Iterable[str]) -> list[str]:
    """Return *lines* as HTML without colours."""
    # An apostrophe as Pygments writes it, so that there is one way to write each line.
    return [show_hidden(escape(line).replace("&#x27;", "&#39;")) for line in lines]


_RUN = re.compile(r'<span class="([a-z0-9]+)">([^<\n]*)</span>')
_CLASSES = frozenset(name for name in STANDARD_TYPES.values() if name)
_SPLIT_REFERENCE = re.compile("&[#a-z0-9]*<")
"""A reference that a tag ends, which a browser would read on."""


def faithful(html: Sequence[str], lines: Sequence[str]) -> bool:
    """Tell whether *html* is *lines* and nothing more: their very text, in flat spans that carry a colour or a mark.

    What a cache gives back is checked by it: a cache is a file that something else may have written. With the spans of
    colours cut out, what is left must be the lines as they are escaped here: any other tag or reference differs.
    """
    if len(html) != len(lines):
        return False
    text, code = "\n".join(html), "\n".join(lines)
    if not plainly_visible(code) or not text.isascii():
        if show_hidden(text) != text:
            return False
        text = unmark(text)
    runs = _RUN.split(text)  # text, class, text, text, class, text, ...
    if not _CLASSES.issuperset(runs[1::3]):
        return False
    del runs[1::3]
    shown = "".join(runs).replace("&quot;", '"').replace("&#39;", "'")  # whether they are escaped is Pygments'
    return shown == escape(code, quote=False) and not _SPLIT_REFERENCE.search(text)


class LineCache(Protocol):
    """Keeps the HTML of lines under a key."""

    def __call__(self, key: str, make: Callable[[], list[str]], /) -> list[str]:
        """Return what is kept under *key*, or make and keep it."""

    def ahead(self, key: str, job: Callable[[], Job], /) -> None:
        """Begin to make what is not kept under *key*; it will be asked for."""

    def replace(self, key: str, lines: list[str], /) -> None:
        """Keep *lines* in the place of what was kept and turned out wrong."""


class NoCache:
    """The cache of those who have none."""

    def __call__(self, key: str, make: Callable[[], list[str]], /) -> list[str]:
        """Make the lines anew."""
        return make()

    def ahead(self, key: str, job: Callable[[], Job], /) -> None:
        """Begin nothing."""

    def replace(self, key: str, lines: list[str], /) -> None:
        """Keep nothing."""


no_cache = NoCache()
