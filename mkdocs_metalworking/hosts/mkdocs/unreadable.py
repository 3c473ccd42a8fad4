"""A page whose conversion an extension or a plugin of the site ended: one problem, and all else goes on."""

from __future__ import annotations

from mkdocs.structure.files import File

from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostic, Location, Severity, raised
from .reading import Reading


def give_up(reading: Reading, file: File, error: Exception, source: str) -> None:
    """Let *reading* know of a page, whose text is *source*, only that *error* ended its conversion."""
    reading.conversions.end()
    context = PageContext(reading.label(file), file.src_uri, source=source)
    told = f"an extension or a plugin of the site cannot read this page: {raised(error)}"
    context.diagnostics.add(Diagnostic(Severity.ERROR, "plugins", told, "", Location(context.path)))
    reading.pages[file.src_uri] = context
