"""Finding the places of a pin: on pages, as the extension saw them, and in the data files below docs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....deliver.project import Project
from ....markdown.page import PageContext
from ....quote.blob import FileKey
from ....quote.citations import CitedLines
from ....quote.diagnostics import Location, MetalworkingError
from ....quote.directive import Directive
from ....quote.lines import Ranges, close_ranges, format_ranges
from ....quote.places import Place, find_places, find_targets
from ....quote.sources import Pin
from ...mkdocs.site import Site

_DATA = (".json", ".yml", ".yaml")

Target = tuple[str, Ranges | None, bool]
"""Path, closed ranges, and whether the whole file is meant. A citation of a whole file has no ranges."""


def read(path: Path) -> str:
    """Return a text as MkDocs reads it: no byte order mark, LF only."""
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n").removeprefix("\ufeff")


class Search:
    """The places of *pin* in *site*, whose pages have been read."""

    def __init__(self, site: Site, project: Project, pin: Pin) -> None:
        self._site = site
        self._project = project
        self._pin = pin

    def files(self) -> Iterator[tuple[Path, str, str, list[Place]]]:
        """Yield path, name for messages, kind ("" for a page) and places of every file that names the pin.

        Raises MetalworkingError (``bump``) for what is on a page and not in its text.
        """
        data = dict(self._data_files())
        elsewhere = {target for places in data.values() for place in places if (target := self.target(place))}
        for file in self._site.files.documentation_pages():
            path, page = self._site.path(file), self._site.pages[file.src_uri]
            places = self._page(path, page, elsewhere)
            if places:
                yield path, page.path, "", places
        for path, places in data.items():
            yield path, path.relative_to(self._site.root).as_posix(), "data", places

    def target(self, place: Place) -> Target | None:
        """Return what lines of the pin *place* names; None when it names something else."""
        what, pin = place.what, self._pin
        if what.repo != pin.repo or not pin.commit.startswith(what.sha):
            return None
        locked = self._project.lock.files.get(FileKey(pin.repo, pin.commit, what.path))
        if locked is None:
            return None
        whole = what.ranges is None
        if whole and not isinstance(what, Directive):
            return what.path, None, True
        try:
            return what.path, close_ranges(what.ranges, locked.lines, what.path), whole
        except MetalworkingError:
            return None

    def _page(self, path: Path, page: PageContext, elsewhere: set[Target]) -> list[Place]:
        quoted: set[Target] = {
            (q.directive.path, q.ranges, q.directive.ranges is None) for q in page.quotations if q.pin == self._pin
        }
        cited: set[Target] = {
            (c.key.path, c.ranges, c.ranges is None)
            for c in page.citations
            if isinstance(c, CitedLines) and c.pin == self._pin
        }
        if not quoted and not cited:
            return []
        places: list[Place] = []
        lost_quotes, lost_citations = set(quoted), cited - elsewhere
        for place in find_places(read(path)):
            shown = isinstance(place.what, Directive)
            target = self.target(place)
            if target is not None and target in (quoted if shown else cited):
                places.append(place)
                (lost_quotes if shown else lost_citations).discard(target)
        if lost := lost_quotes | lost_citations:
            name, ranges, _ = sorted(lost, key=str)[0]
            raise MetalworkingError(
                "bump",
                f"{name}{f'#{format_ranges(ranges)}' if ranges else ''} is on the page, but not in its text",
                "it comes from an included file or another plugin: move it by hand",
                Location(page.path),
            )
        return places

    def _data_files(self) -> Iterator[tuple[Path, list[Place]]]:
        """Yield the mapping table and the files that a script may read, when they name the pin."""
        docs = Path(self._site.config.docs_dir)
        paths = {file for ending in _DATA for file in docs.rglob(f"*{ending}") if file.is_file()}
        if name := str(self._site.options.get("mapping") or ""):
            paths.add(self._site.root / name)
        for path in sorted(path for path in paths if path.exists()):
            found = [place for place in find_targets(read(path), self._pin.repo) if self.target(place)]
            if found:
                yield path, found
