"""A book before it has a form: its pages in order, and what the title page says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

_NO_NAME = re.compile(r"[^\w.-]")


@dataclass
class Leaf:
    """A page of the book. ``number`` is its chapter's; 0 stands before, between or behind the chapters."""

    uri: str
    url: str
    title: str
    html: str
    chapter: str = ""
    number: int = 0
    opening: bool = False
    summary: str = ""
    heading: str = ""
    """What stands in the place of the page's own heading, when it is not to stay."""
    number_of_key: int = 1
    """Which of the leaves with the same name it is."""

    @property
    def key(self) -> str:
        """A name for ids and files: ``machine/gpu core.md`` is ``machine.gpu-core``, since no id has a blank."""
        name = _NO_NAME.sub("-", self.uri.removesuffix(".md").replace("/", "."))
        return name if self.number_of_key == 1 else f"{name}.{self.number_of_key}"

    @property
    def depth(self) -> int:
        """1 for the pages of a chapter, 0 for those that stand by themselves or open one."""
        return 1 if self.number and not self.opening else 0


@dataclass
class Volume:
    """All leaves in order, and what the title page says."""

    title: str
    description: str = ""
    note: str = ""
    address: str = ""
    language: str = "en"
    logo: str = ""
    """Where the picture for the title page lies."""
    leaves: list[Leaf] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    textures: str = ""
    """The element of a site's template with the patterns that its style sheets fill drawings with."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Addresses of other files of the site, such as images, unquoted, and where they lie."""
    direction: str = "ltr"
    """Of all but quoted code: ``rtl`` where one reads from the right."""

    @cached_property
    def by_url(self) -> dict[str, Leaf]:
        """The leaves by their address from the site's root, unquoted."""
        return {unquote(leaf.url): leaf for leaf in self.leaves}
