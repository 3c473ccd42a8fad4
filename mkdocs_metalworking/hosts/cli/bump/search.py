"""Finding the places of a pin: on pages, as the extension saw them, and in the data files below docs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....deliver.project import Project
from ....markdown.page import PageContext
from ....markdown.tracking import Met
from ....quote.blob import FileKey
from ....quote.citations import CitedLines
from ....quote.diagnostics import Location, MetalworkingError
from ....quote.directive import Directive
from ....quote.lines import Ranges, close_ranges, format_ranges
from ....quote.own import selection_of
from ....quote.quotation import Quotation
from ....quote.repo import SELF
from ....quote.selection import Selection
from ....quote.sources import Pin
from ...files import read_page
from ...mkdocs.site import Site
from .edits import Place, places_in_data

_DATA = (".json", ".yml", ".yaml")

Target = tuple[str, Ranges | None, bool]
"""Path, closed ranges, and whether the whole file is meant. A citation of a whole file has no ranges."""


class Search:
    """The places of *pin* in *site*, whose pages have been read."""

    def __init__(self, site: Site, project: Project, pin: Pin) -> None:
        self._site = site
        self._project = project
        self._pin = pin

    def files(self) -> Iterator[tuple[Path, str, str, str, list[Place]]]:
        """Yield path, text, name for messages, kind ("" for a page) and places of every file that names the pin.

        Raises MetalworkingError (``bump``) for what is on a page and not in its text.
        """
        data = dict(self._data_files())
        elsewhere = {target for _, places in data.values() for place in places if (target := self.target(place))}
        for file in self._site.files.documentation_pages():
            path, page = self._site.path(file), self._site.pages[file.src_uri]
            places = self._page(page, elsewhere)
            if places:
                yield path, read_page(path), page.path, "", places
        for path, (text, places) in data.items():
            yield path, text, path.relative_to(self._site.root).as_posix(), "data", places

    def target(self, place: Place) -> Target | None:
        """Return what lines of the pin *place* names; None when it names something else."""
        what, pin = place.what, self._pin
        if what.repo != pin.repo or not pin.commit.startswith(what.sha):
            return None
        locked = self._project.lock.files.get(FileKey(pin.repo, pin.commit, what.path))
        if locked is None:
            return None
        if isinstance(what, Directive) and (name := _named(what)) is not None:
            region = self._project.lock.regions.get((locked.key, name))
            return (what.path, region.ranges, False) if region is not None else None
        whole = what.ranges is None
        if whole and not isinstance(what, Directive):
            return what.path, None, True
        try:
            return what.path, close_ranges(what.ranges, locked.lines, what.path), whole
        except MetalworkingError:
            return None

    def _page(self, page: PageContext, elsewhere: set[Target]) -> list[Place]:
        """Return the places of what *page* shows of the pin, by the spans that its mentions have in the file."""
        places: list[Place] = []
        for met in page.met:
            target = self._shown(met)
            if target is None:
                continue
            place = Place.of(met)
            if place is not None:
                places.append(place)
            elif isinstance(met.shown, Quotation) or target not in elsewhere:
                raise _lost(target, page)
        return places

    def _shown(self, met: Met) -> Target | None:
        """Return what lines of the pin a mention shows or cites; None when it is none of them."""
        shown = met.shown
        if isinstance(shown, Quotation) and shown.pin == self._pin:
            return shown.directive.path, shown.ranges, shown.whole
        if isinstance(shown, CitedLines) and shown.pin == self._pin:
            return shown.key.path, shown.ranges, shown.ranges is None
        return None

    def _data_files(self) -> Iterator[tuple[Path, tuple[str, list[Place]]]]:
        """Yield the mapping table, the quantities and the files that a script may read, when they name the pin."""
        docs = Path(self._site.config.docs_dir)
        paths = {file for ending in _DATA for file in docs.rglob(f"*{ending}") if file.is_file()}
        if name := str(self._site.options.get("mapping") or ""):
            paths.add(self._site.root / name)
        paths.add(self._site.root / str(self._site.options.get("quantities") or "quantities.yml"))
        for path in sorted(path for path in paths if path.exists()):
            try:
                text = read_page(path)
            except UnicodeDecodeError:  # what no script reads as UTF-8 names no pin
                continue
            found = [place for place in places_in_data(text, self._pin.repo) if self.target(place)]
            if found:
                yield path, (text, found)


def _named(directive: Directive) -> Selection | None:
    """Return what names the lines of a directive at a commit."""
    return selection_of(directive, working=False) if directive.repo == SELF else directive.select


def _lost(target: Target, page: PageContext) -> MetalworkingError:
    name, ranges, _ = target
    return MetalworkingError(
        "bump",
        f"{name}{f'#{format_ranges(ranges)}' if ranges else ''} is on the page, but not in its text",
        "it comes from an included file or another plugin: move it by hand",
        Location(page.path),
    )
