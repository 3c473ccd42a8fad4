"""The site laid out for an engine that runs the Markdown extension and no plugins, such as Zensical.

What the plugin adds is written into a copy of docs: the index, the table and the list of sources, the links at each
page's end, the styles, the scripts and the data of the CUDA lookup. The configuration lists the extension.
"""

from __future__ import annotations

import logging
import os
import shutil
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

import markdown
import yaml
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from ...deliver.project import Project
from ...glossary.callout import split_front_matter
from ...markdown.extension import NAMES, MetalworkingExtension
from ...quote.diagnostics import MetalworkingError
from ..mkdocs.assets import ENTRY, STYLE
from ..mkdocs.build import Build, Link
from ..mkdocs.reading import Site

_MARKER = ".metalworking-stage"
_LOG = logging.getLogger("mkdocs.plugins.metalworking")


class _Build(Build):
    """Links as authors write them, from file to file: the engine makes addresses of them."""

    def link(self, uri: str, page: Page) -> Link | None:
        found = super().link(uri, page)
        return found and replace(found, url=relpath(uri, dirname(page.file.src_uri) or "."))


def stage(site: Site, project: Project, folder: Path, *, strict: bool) -> int:
    """Write ``mkdocs.yml`` and ``docs`` into *folder*; returns how many errors were logged.

    Raises MetalworkingError (``stage``) for a folder that holds something else.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARKER).exists():
        raise MetalworkingError("stage", f"{folder} holds something else", "name an empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARKER).touch()
    shutil.rmtree(folder / "docs", ignore_errors=True)
    site.config.plugins._current_plugin = "metalworking"  # which File.generated reads, as in a hook
    files = Files([*site.files])
    texts, errors = _pages(site, project, files)
    for file in files:
        if file.inclusion.is_excluded():
            continue
        target = folder / "docs" / file.src_uri
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.src_uri in texts:
            target.write_text(texts[file.src_uri], encoding="utf-8", newline="\n")
        else:
            target.write_bytes(file.content_bytes)
    configuration = _configuration(site, folder, strict=strict)
    text = yaml.dump(configuration, allow_unicode=True, sort_keys=False)
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8", newline="\n")
    return errors


def _pages(site: Site, project: Project, files: Files) -> tuple[dict[str, str], int]:
    """Return the text of every page as the engine shall read it. *files* gets the data of the lookup."""
    extension = MetalworkingExtension(project=project)
    extension.late = True  # nobody looks at the colours
    extension.cites = site.options.citations
    build = _Build(project, extension, site.config, site.options)
    build.read_book(site.navigation(), files)
    pages: list[tuple[Page, str, str]] = []
    with chdir(site.root):
        for file in files.documentation_pages():
            page = file.page or Page(None, file, site.config)
            lines = file.content_string.split("\n")
            front = split_front_matter(file.content_string)[1]
            body = build.begin_page("\n".join(lines[front:]), page)
            markdown.Markdown(
                extensions=[*site.config.markdown_extensions, extension],
                extension_configs=site.config.mdx_configs or {},
            ).convert(body)
            pages.append((page, "".join(f"{line}\n" for line in lines[:front]), body))
    errors = build.report_errors(_LOG)
    build.connect(files)
    texts: dict[str, str] = {}
    for page, head, body in pages:
        page.content = f"{body.rstrip()}\n\n"
        build.finish_page(page)
        texts[page.file.src_uri] = head + page.content
    return texts, errors


def _configuration(site: Site, folder: Path, *, strict: bool) -> dict[str, Any]:
    path = Path(site.config.config_file_path)
    with open(path, encoding="utf-8-sig") as stream:
        raw = _plain(yaml_load(stream, get_yaml_loader(config=site.config)), site)
    assert isinstance(raw, dict)
    up = Path(os.path.relpath(site.root, folder)).as_posix()
    theme = raw.get("theme")
    if isinstance(theme, dict) and theme.get("custom_dir"):
        theme["custom_dir"] = f"{up}/{theme['custom_dir']}"
    kept = ("sources", "lock", "code", "store", "transports", "offline", "search", "root")
    ours = {name: site.options[name] for name in kept if site.options.get(name) not in (None, "")}
    ours |= {"root": os.path.normpath(f"{up}/{ours.get('root', '.')}"), "strict": strict}
    listed = [one for one in raw.get("markdown_extensions") or [] if _name(one) not in NAMES]
    settings = site.settings(offline=False)
    watch = [*(raw.get("watch") or []), settings.sources, settings.lock]
    return {
        **raw,
        "docs_dir": "docs",
        "site_dir": "site",
        "markdown_extensions": [*listed, {"mkdocs_metalworking": ours}],
        "plugins": [one for one in raw.get("plugins") or ["search"] if _name(one) != "metalworking"],
        "extra_css": [STYLE, *(raw.get("extra_css") or [])],
        "extra_javascript": [{"path": ENTRY, "type": "module"}, *(raw.get("extra_javascript") or [])],
        "watch": [Path(os.path.relpath(site.root / one, folder)).as_posix() for one in watch],
    }


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
