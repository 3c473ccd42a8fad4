"""The styles and scripts that the package brings: copied when a page uses them, and named on those pages alone."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping
from importlib import resources
from typing import Any, cast

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ...glossary.labels import SCRIPT

FOLDER = "assets/metalworking"
STYLE = f"{FOLDER}/metalworking.css"
ENTRY = f"{FOLDER}/metalworking.js"
_OURS = (' class="mw-', " data-mw-")


def package_files() -> Iterator[tuple[str, bytes]]:
    """Yield the path, from the site's root, and the bytes of every style and script."""
    for file in sorted(resources.files("mkdocs_metalworking").joinpath("assets").iterdir(), key=lambda one: one.name):
        yield f"{FOLDER}/{file.name}", file.read_bytes()


def settings_file(labels: Mapping[str, str], parts: Collection[str]) -> tuple[str, bytes]:
    """Return the module that tells the scripts the site's words, and which *parts* it asked for on every page."""
    names = {"source": "CUDA", "target": "Metal", "n": "{n}"}
    told = {"labels": {key: labels[key].format(**names) for key in SCRIPT}, "parts": sorted(parts)}
    return f"{FOLDER}/settings.js", f"export default {json.dumps(told, ensure_ascii=False, indent=1)};\n".encode()


def add_file(files: Files, config: MkDocsConfig, uri: str, content: bytes) -> None:
    """Put a file that was made among the *files* of the site, in the place of one of an earlier build."""
    if (old := files.get_file_from_path(uri)) is not None:
        files.remove(old)
    files.append(File.generated(config, uri, content=content))


def used_by(html: str) -> bool:
    """Say whether *html* holds an element of ours."""
    return any(mark in html for mark in _OURS)


def with_assets(config: MkDocsConfig) -> MkDocsConfig:
    """Return *config* as the template of one page shall see it: our style before the site's own, our script too."""
    script = ExtraScriptValue(ENTRY)
    script.type = "module"
    ours: dict[str, Any] = {
        "extra_css": [STYLE, *config.extra_css],
        "extra_javascript": [script, *config.extra_javascript],
    }
    return cast(MkDocsConfig, ChainMap(ours, config))  # a template reads options, by name
