"""The styles and scripts that the package brings: copied when a page uses them, and named on those pages alone."""

from __future__ import annotations

import json
from copy import copy
from pathlib import Path

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ...glossary.asked import Asked
from ...glossary.labels import SCRIPT

FOLDER = "assets/metalworking"
STYLE = f"{FOLDER}/metalworking.css"
TABLE_STYLE = f"{FOLDER}/terms.css"
"""The style of the table of terms, for the page that has it."""
EXCERPT_STYLE = f"{FOLDER}/excerpts.css"
"""The style of excerpts, for the pages that have one."""
PAIR_STYLE = f"{FOLDER}/pairs.css"
"""The style of pairs, for the pages that have one; it needs that of excerpts before it."""
ENTRY = f"{FOLDER}/metalworking.js"
_OURS = (' class="mw-', " data-mw-")
_HERE = Path(__file__).parents[2] / "assets"


def settings_file(asked: Asked, separator: str = "") -> tuple[str, bytes]:
    """Return the module that tells the scripts the site's words, and what it asked for on every page.

    *separator* is what parts words for the search, where the theme marks in a page what was searched for.
    """
    callouts = asked.callouts
    names = {"source": callouts.source if callouts else "", "target": callouts.target if callouts else "", "n": "{n}"}
    told = {"labels": {key: asked.labels[key].format(**names) for key in SCRIPT}, "parts": sorted(asked.parts)}
    told |= {"separator": separator} if separator else {}
    return f"{FOLDER}/settings.js", f"export default {json.dumps(told, ensure_ascii=False, indent=1)};\n".encode()


def add_file(files: Files, file: File) -> None:
    """Put *file* among the *files* of the site, in the place of one of an earlier build."""
    if (old := files.get_file_from_path(file.src_uri)) is not None:
        files.remove(old)
    files.append(file)


def add_assets(files: Files, config: MkDocsConfig, asked: Asked) -> None:
    """Put every style and script among *files*.

    What lies in the package has its path: plugins that sort files by language or project look at it.
    """
    for path in sorted(_HERE.iterdir(), key=lambda one: one.name):
        add_file(files, File.generated(config, f"{FOLDER}/{path.name}", abs_src_path=str(path)))
    uri, content = settings_file(asked, _separator(config))
    add_file(files, File.generated(config, uri, content=content))


def _separator(config: MkDocsConfig) -> str:
    search = config.plugins.get("material/search") or config.plugins.get("search")
    return str(search.config.get("separator") or "") if search and has_feature(config, "search.highlight") else ""


def has_feature(config: MkDocsConfig, name: str) -> bool:
    """Say whether the theme, Material or one like it, is asked for the feature called *name*."""
    return name in (config.theme.get("features") or ())


def used_by(html: str) -> bool:
    """Say whether *html* holds an element of ours."""
    return any(mark in html for mark in _OURS)


def with_assets(config: MkDocsConfig, html: str = "") -> MkDocsConfig:
    """Return *config* as the template of one page shall see it: our styles before the site's own, our script too.

    *html* is the page: excerpts, pairs and the table of terms have a style each.
    """
    parts = {EXCERPT_STYLE: 'class="mw-excerpt', PAIR_STYLE: 'class="mw-twins', TABLE_STYLE: 'class="mw-terms"'}
    styles = [STYLE, *(style for style, mark in parts.items() if mark in html)]
    script = ExtraScriptValue(ENTRY)
    script.type = "module"
    told = copy(config)  # attributes as before: a template asks for hundreds of options on every page
    told.data = {
        **config.data,
        "extra_css": [*styles, *config.extra_css],
        "extra_javascript": [script, *config.extra_javascript],
    }
    return told
