"""What of a page is for a screen alone, and in no book and no twin."""

from __future__ import annotations

SCREEN_ONLY = {
    "headerlink": "a",
    "md-content__button": "a",
    "mw-anchor": "a",
    "mw-az-jump": "p",
    "mw-copy": "button",
    "mw-empty": "p",
    "mw-filter": "div",
    "mw-jump": "nav",
    "mw-linked-from": "aside",
    "mw-lookup": "div",
    "mw-other": "span",
    "mw-place": "nav",
}
"""Class to the tag that has it. On another element, or around quoted code, it is a class of the author's."""


def ticked(done: bool) -> str:
    """Return what stands for the box of a task where nobody can tick one."""
    return "\u2611" if done else "\u2610"
