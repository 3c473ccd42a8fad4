"""The PDF: Chromium prints the page twice, since only a printed book knows the sheet on which each page begins."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.exceptions import PluginError
from playwright.sync_api import Browser, sync_playwright
from pypdf import PdfReader

from .leaves import Volume
from .printable import printable

_SECONDS = 600


def chromium() -> str:
    """Return the browser that prints: CHROMIUM when set, else the one on the path; "" for Playwright's own."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""


def write_pdf(volume: Volume, target: Path, *, paper: str = "A4") -> int:
    """Print *volume* to *target*, with bookmarks and page numbers; return how many sheets it has.

    Raises PluginError when no Chromium can be started.
    """
    with sync_playwright() as playwright, TemporaryDirectory(prefix="metalworking-") as folder:
        try:
            browser = playwright.chromium.launch(executable_path=chromium() or None)
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise PluginError(f"metalworking-book: no Chromium for the PDF: {reason}") from error
        page = Path(folder) / "book.html"
        first = Path(folder) / "book.pdf"
        _print(browser, page, printable(volume, paper=paper), first)
        sheets = _sheets(first)
        _print(browser, page, printable(volume, sheets, paper=paper), target)
        browser.close()
    return len(PdfReader(target).pages)


def _print(browser: Browser, page: Path, html: str, target: Path) -> None:
    page.write_text(html, encoding="utf-8")
    tab = browser.new_page(java_script_enabled=False)
    tab.set_default_timeout(_SECONDS * 1000)
    tab.goto(page.as_uri())
    tab.emulate_media(media="print", color_scheme="light")
    tab.pdf(path=target, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    tab.close()


def _sheets(path: Path) -> Mapping[str, int]:
    """Return the sheet, counted from 1, on which each linked place of the PDF lies."""
    reader = PdfReader(path)
    found = {}
    for name, place in reader.named_destinations.items():
        number = reader.get_destination_page_number(place)
        if number is not None:
            found[name.lstrip("/")] = number + 1
    return found
