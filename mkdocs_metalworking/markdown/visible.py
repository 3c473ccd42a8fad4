"""Text of others in HTML: nothing hidden, nothing reordered, and nothing marked that deceives nobody."""

from __future__ import annotations

import re
import unicodedata
from html import escape

from ..quote.diagnostics import INVISIBLE

_SELECTORS = "\ufe0e\ufe0f"
_JOINERS = "\u200c\u200d"
_KEYCAPS = "#*0123456789"
_JOINING = (
    *(range(0x0600, 0x0780), range(0x0840, 0x0E00), range(0x1000, 0x10A0), range(0x1780, 0x18B0)),
    range(0xFB50, 0xFE00),
)
"""Scripts whose letters are written with joiners between them: Arabic and Syriac, Mandaic to Malayalam, Burmese, Khmer
and Mongolian."""
_UNJOINED = "\u0622\u0623\u0624\u0625\u0627\u0629\u062f\u0630\u0631\u0632\u0648\u0671\u0688\u0691\u0698\u06c0\u06d5"
"""Arabic letters that join nothing that follows: behind one a joiner changes nothing that could be seen."""
_EMOJI = re.compile(
    "[\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6"
    "\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a"
    "\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7"
    "\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd"
    "\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763"
    "\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004"
    "\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff\U0001f201\U0001f202"
    "\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f7e0-\U0001f7ff\U0001f90c-\U0001faff]"
)
"""Unicode's property Emoji (emoji-data.txt) beyond U+00FF, blocks of pictures whole. Behind other signs nobody sees a
selector, or it makes another operator (\u2264)."""
_HIDDEN = re.compile(f"{INVISIBLE.pattern[:-1]}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""What is marked in code: blanks too that are no blank to a compiler."""
_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Scripts that are written from the right: the blocks of Unicode's classes R, AL and AN."""
_PROSE = "c|c1|ch|cm|cs|s|s1|s2|sb|sc|sd|sh|sr|ss|sx"
"""Pygments' classes of comments and strings."""
_FROM_THE_RIGHT = re.compile(
    rf'<span class="(?:{_PROSE})">[^<\n{_RIGHT}]*(?P<prose>[{_RIGHT}](?:[^<\n]*[{_RIGHT}])?)[^<\n{_RIGHT}]*</span>'
    rf"|[{_RIGHT}](?:[{_RIGHT}\u0300-\u036f]|[{_JOINERS}](?=[{_RIGHT}]))*"
)
"""Words of such a script; of a comment or a string, which is prose, all from the first to the last."""


def _mark(match: re.Match[str]) -> str:
    char = match[0]
    if _honest(match.string, match.start()):
        return char
    return _mark_of(char)


def _mark_of(char: str) -> str:
    code = ord(char)
    shown = chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else f"U+{code:04X}"
    # Empty, its text made by the stylesheet: what is selected and copied has no mark in it.
    return f'<span class="mw-ctl" data-cp="{code:x}" data-text="{shown}" title="U+{code:04X}"></span>'


def _honest(text: str, at: int) -> bool:
    """Tell whether the character at *at* does in its place what it is there for: part of an emoji or of a word."""
    char, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if not before:
        return False
    if char in _SELECTORS:
        return bool(_EMOJI.match(before)) or (before in _KEYCAPS and after == "\u20e3")
    if char == "\u200d" and _EMOJI.match(after):
        return bool(_EMOJI.match(before)) or before in _SELECTORS or unicodedata.category(before) == "Sk"
    return char in _JOINERS and before not in _UNJOINED and _joins(before) and _joins(after)


def _joins(char: str) -> bool:
    return char != "" and any(ord(char) in part for part in _JOINING) and unicodedata.category(char)[0] in "LM"


MARK = re.compile(
    r'<span class="mw-ctl" data-cp="([0-9a-f]{1,6})" data-text="[^"<>]{1,8}" title="U\+[0-9A-F]{4,6}"></span>'
)


def without_marks(html: str) -> str:
    """Return *html* without the marks that stand in it, each the very one of its character."""
    return MARK.sub(
        lambda mark: "" if int(mark[1], 16) < 0x110000 and mark[0] == _mark_of(chr(int(mark[1], 16))) else mark[0], html
    )


def plainly_visible(text: str) -> bool:
    """Tell, quickly, that *text* is printable ASCII, tabs and line feeds, in which nothing is hidden."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def show_invisible(html: str) -> str:
    """Replace characters that cannot be seen, or that reorder others, by marks that name them."""
    return html if plainly_visible(html) else INVISIBLE.sub(_mark, html)


def show_hidden(html: str) -> str:
    """Replace, in code, what *show_invisible* does and blanks other than U+0020 by marks that name them."""
    return html if plainly_visible(html) else _HIDDEN.sub(_mark, html)


def in_order(html: str) -> str:
    """Return *html* with words of scripts from the right isolated, so that they put nothing around them out of order.

    What stands between two of them in a comment or a string is theirs, and has their order; a name in code has none but
    its own. Without it ``\u05d0 = 10 - 3`` reads ``3 - 10 = \u05d0`` by the bidi algorithm: it turns digits and signs
    around beside such a letter. What reads tags takes ``bdi`` out or shows its text.
    """
    return html if html.isascii() else _FROM_THE_RIGHT.sub(_isolated, html)


def _isolated(match: re.Match[str]) -> str:
    text, prose = match[0], match["prose"] or match[0]
    return text.replace(prose, f"<bdi>{prose}</bdi>", 1)


def unmark(html: str) -> str:
    """Return *html* with the characters in the place of their marks; what is no mark of ours stays."""
    return MARK.sub(_unmark, html)


def _unmark(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    found = chr(code) if code <= 0x10FFFF else ""
    return found if found and _HIDDEN.sub(_mark, found) == match[0] else match[0]


def html_text(text: str) -> str:
    """Return *text* as HTML, invisible characters marked."""
    return show_invisible(escape(text))


def html_attribute(text: str) -> str:
    """Return *text* as the value of an attribute, where a mark has no place: invisible characters are named."""
    return escape(named(text))


def named(text: str) -> str:
    """Return *text* with the names of invisible characters in their place, where no HTML can mark them."""
    return text if plainly_visible(text) else INVISIBLE.sub(_name, text)


def _name(match: re.Match[str]) -> str:
    return match[0] if _honest(match.string, match.start()) else f"U+{ord(match[0]):04X}"
