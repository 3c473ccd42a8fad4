"""Verified quotation of source code at pinned commits, for MkDocs and Python-Markdown.

The names below are the public interface; docs/plugin/python.md shows them at work. Each is imported when it is asked
for, so that a build does not load what it does not use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .deliver.project import Project as Project
    from .deliver.project import Settings as Settings
    from .hosts.mkdocs.open_site import OpenSite as OpenSite
    from .hosts.mkdocs.open_site import open_site as open_site
    from .markdown.extension import MetalworkingExtension as MetalworkingExtension
    from .markdown.page import PageContext as PageContext
    from .quote.diagnostics import Diagnostic as Diagnostic
    from .quote.diagnostics import MetalworkingError as MetalworkingError
    from .quote.directive import parse_directive as parse_directive
    from .quote.quotation import Quotation as Quotation

__version__ = "0.1.0"
_HOMES = {
    "Diagnostic": "quote.diagnostics",
    "MetalworkingError": "quote.diagnostics",
    "MetalworkingExtension": "markdown.extension",
    "OpenSite": "hosts.mkdocs.open_site",
    "PageContext": "markdown.page",
    "Project": "deliver.project",
    "Quotation": "quote.quotation",
    "Settings": "deliver.project",
    "open_site": "hosts.mkdocs.open_site",
    "parse_directive": "quote.directive",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({"__version__", *_HOMES})
