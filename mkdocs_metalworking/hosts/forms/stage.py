"""The site laid out for an engine that runs the Markdown extension and no plugins, such as Zensical.

What the plugin adds is written into a copy of docs: the index, the table and the list of sources, the links at each
page's end, the styles, the scripts and the data of the lookup. The configuration lists the extension.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

import yaml
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from ...deliver.project import Project
from ...git.links import place_of, target_of
from ...git.places import Premises, Tracked
from ...glossary.callout import split_front_matter
from ...markdown.extension import NAMES
from ...quote.diagnostics import MetalworkingError, reason_of
from ...quote.texts import hold_regular
from ..mkdocs.assets import ENTRY, EXCERPT_STYLE, PAIR_STYLE, STYLE, TABLE_STYLE, add_assets
from ..mkdocs.browser_files import Lookup
from ..mkdocs.endings import Endings
from ..mkdocs.quantities import add_quantities
from ..mkdocs.reading import Reading
from ..mkdocs.report import report_problems
from ..mkdocs.site import Site

_WISHES = ("citations", "callouts", "labels")
"""What the extension does by itself, where a site asks for it."""
_MARKER = ".metalworking-stage"
_LOG = logging.getLogger("mkdocs.plugins.metalworking")


def stage(site: Site, project: Project, folder: Path, *, strict: bool) -> int:
    """Write ``mkdocs.yml`` and ``docs`` into *folder*; returns how many errors were logged.

    Whatever else lay there is taken away first: an engine may read other files than ours, run what they name, and show
    pages of its cache that it did not make. Raises MetalworkingError (``stage``) for a folder that holds something
    else, of which git tracks something, or in which a link stands where the copy goes, and (``not-written``) where a
    link on the way there may be somebody else's.
    """
    _look_at(folder, site.root)
    folder.mkdir(parents=True, exist_ok=True)
    _empty(folder)
    (folder / _MARKER).touch()
    problems = site.read(project)
    reading = site.reading
    assert reading is not None
    errors = report_problems(problems, _LOG)
    for name, content in _contents(reading):
        target = folder / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    configuration = _configuration(site, folder, strict=strict)
    text = yaml.dump(configuration, allow_unicode=True, sort_keys=False)
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8", newline="\n")
    return errors


def _look_at(folder: Path, root: Path) -> None:
    """Raise MetalworkingError unless *folder* is empty, or a stage that was made here, of the site in *root*."""
    target_of(folder / _MARKER)
    place = place_of(folder, Premises.of(root))
    if root.resolve().is_relative_to(place):
        raise MetalworkingError("stage", f"{folder} holds the site itself", "name an empty folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / _MARKER).exists():
        raise MetalworkingError("stage", f"{folder} holds something else", "name an empty folder")
    tracked = Tracked(place)
    if tracked.holds() and not tracked.unknown:
        message = f"git tracks something in {folder}: anybody may have put there what the engine would run"
        raise MetalworkingError("stage", message, "name an empty folder")
    for name in ("docs", "mkdocs.yml", _MARKER):
        if (folder / name).is_symlink():
            raise MetalworkingError("stage", f"{folder / name} is a link", "remove it, or name an empty folder")


def _empty(folder: Path) -> None:
    """Take away what lies in a stage; of a link the link alone.

    The marker stays: without it what a command that was killed has left would be somebody's.
    """
    for one in folder.iterdir():
        if one.name == _MARKER:
            continue
        try:
            if one.is_symlink() or not one.is_dir():
                one.unlink()
            else:
                shutil.rmtree(one)
        except OSError as error:
            raise MetalworkingError("stage", f"{one} cannot be taken away: {reason_of(error)}") from None


def _contents(reading: Reading) -> list[tuple[str, bytes]]:
    """Return every file of the staged docs."""
    files, config = reading.files, reading.config
    config.plugins._current_plugin = "metalworking"  # which File.generated reads, as in a hook
    add_assets(files, config, reading.asked)
    if reading.asked.parts:
        Lookup().add_to(files, reading)
    add_quantities(files, reading)
    endings = Endings(reading, where=_beside)
    found = []
    for file in files:
        if file.inclusion.is_excluded():
            continue
        page = file.page
        text = reading.texts.get(file.src_uri)
        if page is None or text is None:
            if not file.src_uri.startswith("../"):
                found.append((file.src_uri, _bytes(file)))
            continue
        body = endings.fill(f"{text.rstrip()}\n\n", page)
        if reading.asked.chapters:
            body += endings.html(endings.of(page), page)
        entry = reading.entry(file.src_uri)
        found.append((file.src_uri, (_front(file, entry.meta.summary if entry else "") + body).encode()))
    return found


def _bytes(file: File) -> bytes:
    """Return what *file* holds. Raises MetalworkingError (``stage``) where it holds none, as a pipe."""
    try:
        if file.abs_src_path:
            hold_regular(Path(file.abs_src_path))
        return file.content_bytes
    except OSError as error:
        raise MetalworkingError("stage", f"{file.src_uri} cannot be read: {reason_of(error)}", "take it out") from None


def _beside(file: File, page: Page) -> str:
    """Return the link as authors write it, from file to file: the engine makes addresses of them."""
    return relpath(file.src_uri, dirname(page.file.src_uri) or ".")


def _front(file: File, summary: str) -> str:
    """Return the page's front matter as it stands in its file, but the quantities of its summary written out.

    The engine's templates read the summary, and know nothing of quantities; the rest is the extension's to read.
    """
    text, number = split_front_matter(file.content_string)
    lines = file.content_string.split("\n")[:number]
    front = "".join(f"{line}\n" for line in lines)
    if not summary or "[=" not in text:
        return front
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    for key, value in root.value:
        if key.value == "summary" and "[=" in value.value:
            start, end = value.start_mark.index, value.end_mark.index
            tail = "\n" if text[start:end].endswith("\n") else ""
            written = json.dumps(summary, ensure_ascii=False) + tail
            return front.replace(text, text[:start] + written + text[end:], 1)
    return front


def _configuration(site: Site, folder: Path, *, strict: bool) -> dict[str, Any]:
    path = Path(site.config.config_file_path)
    with open(path, encoding="utf-8-sig") as stream:
        raw = _plain(yaml_load(stream, get_yaml_loader(config=site.config)), site)
    assert isinstance(raw, dict)
    up = Path(os.path.relpath(site.root, folder)).as_posix()
    theme = raw.get("theme")
    if isinstance(theme, dict) and theme.get("custom_dir"):
        theme["custom_dir"] = f"{up}/{theme['custom_dir']}"
    kept = ("sources", "lock", "quantities", "code", "store", "transports", "offline", "search", "root", *_WISHES)
    ours = {name: site.options[name] for name in kept if site.options.get(name) not in (None, "")}
    ours |= {"root": os.path.normpath(f"{up}/{ours.get('root', '.')}"), "strict": strict}
    listed = [one for one in raw.get("markdown_extensions") or [] if _name(one) not in NAMES]
    settings = site.settings(offline=False)
    files = (settings.sources, settings.lock, settings.quantities)
    watch = [*(raw.get("watch") or []), *(one for one in files if one.exists())]  # MkDocs refuses what is not there
    return {
        **raw,
        "docs_dir": "docs",
        "site_dir": "site",
        "markdown_extensions": [*listed, {"mkdocs_metalworking": ours}],
        "plugins": [one for one in _listed(raw.get("plugins")) if _name(one) != "metalworking"],
        "extra_css": [STYLE, EXCERPT_STYLE, PAIR_STYLE, TABLE_STYLE, *(raw.get("extra_css") or [])],
        "extra_javascript": [{"path": ENTRY, "type": "module"}, *(raw.get("extra_javascript") or [])],
        "watch": [Path(os.path.relpath(site.root / one, folder)).as_posix() for one in watch],
    }


def _listed(plugins: Any) -> list[Any]:
    """Return the plugins as a list: in mkdocs.yml they may be a mapping."""
    if isinstance(plugins, dict):
        return [{name: options} if options else name for name, options in plugins.items()]
    return list(plugins or ["search"])


def _name(item: object) -> str:
    return str(next(iter(item))) if isinstance(item, dict) and item else str(item)


def _plain(value: Any, site: Site) -> Any:
    """Return *value* with the places that MkDocs' ``!relative`` stands for: the engine runs in the staged folder."""
    if isinstance(value, dict):
        return {key: _plain(item, site) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, site) for item in value]
    if isinstance(value, os.PathLike):
        docs = Path(site.config.docs_dir)
        place = Path(os.fspath(value))
        return (Path("docs") / place.relative_to(docs)).as_posix() if place.is_relative_to(docs) else str(place)
    return value
