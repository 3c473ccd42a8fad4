"""A site that is kept read while its pages are written: for an editor, for programs that ask, for a notebook.

Texts that nobody saved stand in the place of files. A page whose text changes is read again by itself; when a file
changes that all pages lean on, such as sources.yml, a new round over the site begins. Nothing is written, and nothing
is fetched.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from mkdocs.commands.build import _populate_page
from mkdocs.structure.files import File
from mkdocs.utils import is_markdown_file

from ...deliver.project import Project
from ...glossary.mark_lines import marks_on
from ...markdown.page import PageContext
from ...quote.diagnostics import MetalworkingError
from ...quote.texts import read_text
from .checking import Check, Findings, finish
from .drafts import leaned_on, plain_text, read_by
from .drafts import stamp as stamp_of
from .quiet import quiet
from .reading import Reading
from .rounds import Round
from .site import Site
from .unreadable import give_up


class Desk:
    """A site and the texts that are being written. Not for several threads, *prepare* aside."""

    def __init__(
        self, config_file: str | None = None, *, plugins: bool | None = None, start: Path | None = None
    ) -> None:
        """Load mkdocs.yml; *plugins* and *start* as for Site.load. Raises MetalworkingError (``config``)."""
        self._config_file, self._plugins = config_file, plugins
        self.site = Site.load(config_file, plugins=plugins, start=start)
        self.drafts: dict[Path, str] = {}
        self._round: Round | None = None

    # Rounds

    def prepare(self) -> Round:
        """Begin a round: load the site and its files, and read the pages that are being written first.

        May run in another thread. Raises MetalworkingError (``config``, ``plugins``).
        """
        drafts = dict(self.drafts)
        site = Site.load(self._config_file, plugins=self._plugins, start=self.site.start)
        stamps = {path: stamp for path in read_by(site) if (stamp := stamp_of(path))}
        site.drafts = drafts
        project = site.project(offline=True)
        try:
            if site.through_plugins:
                site.read(project)
                assert site.reading is not None
                return Round(site, project, site.reading, Check(project, site.root), [], stamps)
            with quiet(), contextlib.chdir(site.start):
                reading = site.begin(project)
            # The last is read first. Pages with marks stay last of all: they show the titles of the others.
            left = reading.documents()
            left.reverse()
            left.sort(key=lambda file: site.path(file) in drafts)
            return Round(site, project, reading, Check(project, site.root), left, stamps)
        except BaseException:
            project.close()
            raise

    def take(self, new: Round) -> bool:
        """Work with *new* from now on, and read what was written since it began; returns whether another one is due."""
        old, self._round = self._round, new
        self.site = new.site
        if old is not None:
            old.project.close()
        waiting = {new.site.path(file) for file in new.left}
        due = not new.site.drafts.keys() <= self.drafts.keys()
        for path, text in self.drafts.items():
            if path in waiting or new.site.drafts.get(path) != text:
                self._put(path, text)
                due = due or path in self.leaned_on() or (self.is_page(path) and self.file(path) is None)
        new.site.drafts = self.drafts
        return due

    def step(self) -> bool:
        """Read one page more; False when all are read."""
        left = self.round.left
        if left:
            self._read(left.pop())
        return bool(left)

    def complete(self) -> None:
        """Read every page that is not read yet, from the first on if need be."""
        if self._round is None:
            self.take(self.prepare())
        while self.step():
            pass

    @property
    def begun(self) -> bool:
        """Whether there is anything to ask."""
        return self._round is not None

    @property
    def whole(self) -> bool:
        """Whether every page was read, at least once."""
        return self._round is not None and not any(self.unread())

    def unread(self) -> Iterator[Path]:
        """Yield the pages that were not read at all yet; one that waits for its marks to be filled was."""
        left = self.round.left
        yield from (self.site.path(file) for file in left if file.src_uri not in self.reading.pages)

    @property
    def round(self) -> Round:
        """The present round; raises MetalworkingError (``reading``) before the first."""
        if self._round is None:
            raise MetalworkingError("reading", "the site is not read yet", "ask again in a moment")
        return self._round

    @property
    def reading(self) -> Reading:
        """What was read of the site so far."""
        return self.round.reading

    @property
    def project(self) -> Project:
        """The files that are quoted and cited from."""
        return self.round.project

    def close(self) -> None:
        """Release git processes and archives."""
        if self._round is not None:
            self._round.project.close()
            self._round = None

    # Texts

    def write(self, path: Path, text: str | None) -> bool:
        """Let *text* stand in the place of the file at *path*, None the file itself again.

        Returns whether a new round is due: all pages lean on the file, or it is a page that comes or goes.
        """
        path = self.at(path)
        plain = None if text is None else plain_text(text)
        if plain is None:
            known = self.drafts.pop(path, None)
            with contextlib.suppress(OSError, UnicodeDecodeError):
                plain = plain_text(read_text(path, "utf-8-sig"))
            if known is not None and known == plain:
                return False
        else:
            if self.drafts.get(path) == plain:
                return False
            self.drafts[path] = plain
        if self._round is None:
            return False
        if path in self.leaned_on():
            return True
        if not self.is_page(path):
            return False
        if self.file(path) is None or plain is None:
            return True
        self._put(path, plain)
        return False

    def leaned_on(self) -> Sequence[Path]:
        """Return the files beside the pages that every page may depend on."""
        return list(leaned_on(self.site))

    def refresh(self) -> bool:
        """Look at the files again, which others may write; returns whether a new round is due."""
        if self._round is None:
            return False
        stamps = self._round.stamps
        now = {path: stamp for path in read_by(self.site) if (stamp := stamp_of(path))}
        due = now.keys() != stamps.keys()
        for path, stamp in now.items():
            if path not in self.drafts and stamps.get(path) != stamp:
                due = self.write(path, None) or due
        if now != stamps:
            self._round.stamps = now
        return due

    def at(self, path: Path) -> Path:
        """Return *path* as this site names it: editors go through other links to the same folder."""
        docs = Path(self.site.config.docs_dir)
        for base, name in ((docs, docs), (docs.resolve(), docs), (self.site.root, self.site.root)):
            for one in (path, path.resolve()):
                if one.is_relative_to(base):
                    return name / one.relative_to(base)
        return path

    def is_page(self, path: Path) -> bool:
        """Tell whether a file at *path* is a page of this site, or would be."""
        return path.is_relative_to(self.site.config.docs_dir) and is_markdown_file(path.name)

    def file(self, path: Path) -> File | None:
        """Return the page at *path*; None when the present round has none there."""
        docs = Path(self.site.config.docs_dir)
        if self._round is None or not path.is_relative_to(docs):
            return None
        return self._round.reading.files.get_file_from_path(path.relative_to(docs).as_posix())

    def page(self, path: Path) -> PageContext | None:
        """Return what was found on the page at *path*; None when it was not read."""
        file = self.file(path)
        return self.reading.pages.get(file.src_uri) if file is not None else None

    def text(self, path: Path) -> str:
        """Return what stands at *path*, saved or not, with LF as the only line end; "" when nothing does."""
        if path in self.drafts:
            return self.drafts[path]
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return plain_text(read_text(path, "utf-8-sig"))
        return ""

    def labels(self) -> dict[str, Path]:
        """Return the path of every file of which problems are told, by its name in messages."""
        found = {path.name: path for path in self.leaned_on()}
        if mapping := self.site.options.mapping:
            found[mapping] = self.project.settings.path(mapping)
        found |= {self.reading.label(file): self.site.path(file) for file in self.reading.documents()}
        return found

    def paths(self) -> Iterator[Path]:
        """Yield the paths of all pages."""
        yield from (self.site.path(file) for file in self.reading.documents())

    # Findings

    def findings(self) -> Findings:
        """Return what ``check`` would say now; of the pages that were read so far, and hints when all were."""
        finish(self.reading)
        found = self.round.check.of(self.reading)
        return found if self.whole else Findings(found.problems)

    def _put(self, path: Path, text: str) -> None:
        file = self.file(path)
        if file is not None:
            file.content_string = text
            left, known = self.round.left, self.reading.pages.get(file.src_uri)
            marked = "<!-- " in text and bool(marks_on(text.split("\n"))) and not self.site.through_plugins
            if file in left:
                left.remove(file)
            self._read(file, fill=not marked)
            if marked:  # a table of two hundred terms takes longer than a keystroke may: it is read again, last of all
                left.insert(0, file)
                told = known.diagnostics if known is not None else ()
                self.reading.pages[file.src_uri].diagnostics.extend(one for one in told if one.location.line is None)

    def _read(self, file: File, *, fill: bool = True) -> None:
        reading = self.reading
        try:
            with quiet(streams=self.site.through_plugins), contextlib.chdir(self.site.start):
                if self.site.through_plugins and file.page is not None:
                    reading.renew(file)
                    _populate_page(file.page, reading.config, reading.files, dirty=False)
                else:
                    reading.read(file, fill=fill)
        except Exception as error:  # of an extension or a plugin that does not stand what is half written
            give_up(reading, file, error, self.text(self.site.path(file)))
