"""The PDF: Chromium prints the page twice, since only a printed book knows the sheet on which each page begins."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pikepdf
from mkdocs.exceptions import PluginError
from playwright.sync_api import Browser, Request, Route, sync_playwright

from ... import __version__
from ...git.executable import on_path
from ...git.scratch import Scratch
from .printable import printable
from .volume import Volume

_SECONDS = 900
_ADDRESS = "http://book.invalid/"
"""Where the page is for the browser: not in a file, so that nothing on it may show another file of this machine."""
_POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'"


def chromium() -> str:
    """Return the browser that prints: CHROMIUM when set, else the one on the path; "" for Playwright's own."""
    found = (on_path(name, os.environ) for name in ("chromium", "chromium-browser"))
    return os.environ.get("CHROMIUM") or next(filter(None, found), "")


def write_pdf(volume: Volume, target: Path, *, paper: str = "A4") -> int:
    """Print *volume* to *target*, with bookmarks and page numbers; return how many sheets it has.

    Raises PluginError when no Chromium can be started.
    """
    with sync_playwright() as playwright, Scratch() as folder:
        try:
            browser = playwright.chromium.launch(executable_path=chromium() or None)
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise PluginError(f"metalworking-book: no Chromium for the PDF: {reason}") from error
        draft = Path(folder) / "book.pdf"
        _print(browser, printable(volume, paper=paper), draft, tagged=False)
        sheets = sheets_of(draft)
        _print(browser, printable(volume, sheets, paper=paper), draft, tagged=True)
        browser.close()
        return _finish(volume, draft, target)


def _print(browser: Browser, html: str, target: Path, *, tagged: bool) -> None:
    """Print *html*; tags, which a reader of screens and the bookmarks need, take a while.

    The page needs no other file and gets none: what its HTML names, be it on this machine or in its network, is not
    for whoever reads the book.
    """
    tab = browser.new_page(java_script_enabled=False, service_workers="block")
    tab.set_default_timeout(_SECONDS * 1000)
    given: list[Request] = []

    def answer(route: Route) -> None:
        if given:
            route.abort("aborted")
            return
        given.append(route.request)
        head = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": _POLICY}
        route.fulfill(headers=head, body=html)

    tab.route("**/*", answer)
    tab.goto(_ADDRESS)
    tab.emulate_media(media="print", color_scheme="light")
    tab.pdf(path=target, prefer_css_page_size=True, print_background=True, outline=tagged, tagged=tagged)
    tab.close()


def sheets_of(path: Path) -> Mapping[str, int]:
    """Return the sheet, counted from 1, on which each linked place of the PDF lies."""
    with pikepdf.open(path) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        places: Any = pdf.Root.get("/Dests", {})
        return {unquote(name.removeprefix("/")): numbers.get(place[0].objgen, 0) for name, place in places.items()}


def _finish(volume: Volume, draft: Path, target: Path) -> int:
    """Write the PDF with its own title, its bookmarks open, and a third of Chromium's size."""
    with pikepdf.open(draft) as pdf:
        with pdf.open_metadata(set_pikepdf_as_editor=False) as data:
            data["dc:title"] = volume.title
            data["dc:description"] = volume.description
            data["dc:rights"] = volume.note
        pdf.docinfo["/Title"] = volume.title
        pdf.docinfo["/Subject"] = volume.description
        pdf.docinfo["/Creator"] = f"mkdocs-metalworking {__version__}"
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        share_images(pdf)
        pdf.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return len(pdf.pages)


def share_images(pdf: pikepdf.Pdf) -> None:
    """Let equal images be one: Chromium writes what a pattern paints anew for each place that it fills."""
    first: dict[bytes, pikepdf.Object] = {}
    shared: dict[tuple[int, int], pikepdf.Object] = {}
    for one in pdf.objects:
        if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == pikepdf.Name.Image and "/SMask" not in one:
            told = hashlib.sha256(repr(sorted(one.stream_dict.items())).encode() + one.read_raw_bytes()).digest()
            shared[one.objgen] = first.setdefault(told, one)
    for one in pdf.objects:
        for holder in (one, one.get("/Resources")) if isinstance(one, (pikepdf.Dictionary, pikepdf.Stream)) else ():
            images: Any = holder.get("/XObject", {}) if isinstance(holder, (pikepdf.Dictionary, pikepdf.Stream)) else {}
            for name, image in images.items():
                if image.objgen in shared:
                    images[name] = shared[image.objgen]
