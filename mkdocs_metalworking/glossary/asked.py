"""What a site asks for beyond excerpts. A site that says nothing gets nothing: no page of it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..quote.diagnostics import Diagnostic
from ..quote.texts import read_text
from .callout import Callouts, PageMeta, read_front_matter
from .labels import Labels, labels_for


@dataclass(frozen=True, slots=True)
class Asked:
    """The wishes of a site, from the options of the plugin or of the extension."""

    callouts: Callouts | None = None
    """How callouts speak; None for a site without."""
    chapters: bool = False
    """Whether pages end with their place in the book, what links to them, previous and next."""
    citations: bool = False
    """Whether ``[@key]`` is a citation."""
    lookup: bool = False
    previews: bool = False
    """Whether links to pages show what they lead to."""
    labels: Labels = field(default_factory=labels_for)

    @classmethod
    def of(
        cls, options: Mapping[str, Any], root: Path, language: str = "en", read: Callable[[Path], str] = read_text
    ) -> Asked:
        """Read *options*, named as in mkdocs.yml, and with *read* the files, which start at *root*.

        Raises MetalworkingError (``config``), and what *read* raises of it.
        """
        flags = {name: bool(options.get(name)) for name in ("chapters", "citations", "lookup", "previews")}
        labels = labels_for(str(options.get("language") or language), options.get("labels"))
        return cls(callouts=Callouts.of(options.get("callouts"), root, read), labels=labels, **flags)

    @property
    def parts(self) -> frozenset[str]:
        """What of the scripts is wanted on every page."""
        return frozenset(name for name in ("lookup", "previews") if getattr(self, name))

    def front_matter(self, text: str, path: str) -> tuple[PageMeta, list[Diagnostic]]:
        """Read a page's front matter, where anything that was asked for needs it.

        Raises MetalworkingError for bad YAML.
        """
        if self.callouts is None and not (self.chapters or self.lookup or self.previews):
            return PageMeta(), []
        return read_front_matter(text, path, self.callouts)
