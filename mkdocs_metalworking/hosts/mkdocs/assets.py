"""The styles and scripts that the package brings, so that stock Material shows excerpts and callouts well."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

STYLES = ("metalworking.css",)
SCRIPTS = ("metalworking.js",)
FOLDER = "assets/metalworking"


def asset_files(config: MkDocsConfig) -> Iterator[File]:
    """Yield the files to add to the site, and name them in the configuration of the page templates."""
    folder = resources.files("mkdocs_metalworking").joinpath("assets")
    for name in (*STYLES, *SCRIPTS):
        uri = f"{FOLDER}/{name}"
        yield File.generated(config, uri, content=folder.joinpath(name).read_bytes())
    for name in STYLES:
        if f"{FOLDER}/{name}" not in config.extra_css:
            config.extra_css.insert(0, f"{FOLDER}/{name}")
    for name in SCRIPTS:
        if f"{FOLDER}/{name}" not in map(str, config.extra_javascript):
            config.extra_javascript.insert(0, f"{FOLDER}/{name}")
