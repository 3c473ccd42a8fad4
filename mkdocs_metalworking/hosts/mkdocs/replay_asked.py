"""Under ``serve``: whether the template of a page asks for the text of another one, by whatever way it has it."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment
from jinja2.filters import do_attr
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

_TEXT = frozenset({"content", "markdown", "toc", "present_anchor_ids", "links_to_anchors"})
"""What a page has of its text."""
_BYTES = frozenset({"content_string", "content_bytes"})
"""What a file has of it."""


class Asked:
    """Looks on while templates are rendered."""

    def __init__(self) -> None:
        self.others = False
        """Whether one was asked for since *begin*."""
        self._own = ""

    def begin(self, own: str) -> None:
        """A template is rendered for the page at *own*."""
        self._own, self.others = own, False

    def watch(self, env: Environment) -> None:
        """Look at what the templates of *env* ask of anything: Jinja leaves that to two methods and a filter."""
        attribute_of, item_of = env.getattr, env.getitem

        def asked(obj: Any, name: str) -> Any:
            self._note(obj, name)
            return attribute_of(obj, name)

        def item(obj: Any, name: Any) -> Any:
            self._note(obj, name)
            return item_of(obj, name)

        def attr(obj: Any, name: Any) -> Any:
            self._note(obj, name)  # before Jinja 3.1.6 the filter asks by itself
            return do_attr(env, obj, name)

        vars(env).update(getattr=asked, getitem=item)
        env.filters["attr"] = attr

    def _note(self, obj: Any, name: Any) -> None:
        if not isinstance(name, str):
            return
        if (name in _TEXT and isinstance(obj, Page) and obj.file.src_uri != self._own) or (
            name in _BYTES and isinstance(obj, File)
        ):
            self.others = True
