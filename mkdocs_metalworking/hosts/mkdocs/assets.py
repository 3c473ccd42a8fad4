"""The styles and scripts that the package brings: copied when a page uses them, and named on those pages alone."""

from __future__ import annotations

import json
import re
from copy import copy
from html import escape
from pathlib import Path

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import normalize_url
from mkdocs.utils.templates import TemplateContext

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
_SEPARATOR = '[\\s\\-_,:!=\\[\\]()\\\\"`/]+|\\.(?!\\d)'
"""By what Zensical 0.0 parts words where mkdocs.yml names nothing; a stage is made without Material's own."""
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
    if not has_feature(config, "search.highlight"):
        return ""
    search = config.plugins.get("material/search") or config.plugins.get("search")
    return str((search.config.get("separator") if search else None) or _SEPARATOR)


def has_feature(config: MkDocsConfig, name: str) -> bool:
    """Say whether the theme, Material or one like it, is asked for the feature called *name*."""
    return name in (config.theme.get("features") or ())


def used_by(html: str) -> bool:
    """Say whether *html* holds an element of ours."""
    return any(mark in html for mark in _OURS)


_PREVIEW = "navigation.instant.preview"
"""Material's feature that shows in a tooltip what a link leads to, a part of another page."""
_PREVIEWED = re.compile(r"<a\b[^<>]*\sdata-preview\b")
"""What a single link asks for that with, by hand or by Material's extension."""


def shows_others(config: MkDocsConfig, html: str = "") -> bool:
    """Say whether the browser may show, on a page with *html*, a part of any other."""
    return has_feature(config, _PREVIEW) or _PREVIEWED.search(html) is not None


def _styles(html: str, *, others: bool = False) -> list[str]:
    """Return the styles of *html*; excerpts, pairs and the table of terms have one each.

    It has all of them where it may show those of *others*.
    """
    parts = {EXCERPT_STYLE: 'class="mw-excerpt', PAIR_STYLE: 'class="mw-twins', TABLE_STYLE: 'class="mw-terms"'}
    return [STYLE, *(style for style, mark in parts.items() if others or mark in html)]


def give_assets(context: TemplateContext, config: MkDocsConfig, page: Page | None = None) -> None:
    """Put into *context*, of a *page* or of a template, our styles before the site's own, our script too.

    A theme may take them from the configuration or, as addresses, from MkDocs' own variables.
    """
    html = (page.content if page else None) or ""
    styles = _styles(html, others=shows_others(config, html))
    script = ExtraScriptValue(ENTRY)
    script.type = "module"
    told = copy(config)  # attributes as before: a template asks for hundreds of options on every page
    told.data = {
        **config.data,
        "extra_css": [*styles, *config.extra_css],
        "extra_javascript": [script, *config.extra_javascript],
    }
    base = context["base_url"]
    context["config"] = told
    context["extra_css"] = [*(normalize_url(one, page, base) for one in styles), *context["extra_css"]]
    context["extra_javascript"] = [normalize_url(ENTRY, page, base), *context["extra_javascript"]]


_LINK = re.compile(r"<link\b[^<>]*>", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_HEAD_ENDS = re.compile(r"</head\s*>", re.IGNORECASE)


def linked(output: str, base: str) -> tuple[str, bool]:
    """Return *output*, made by a template, with our styles and our script where it shows something of ours.

    A theme may name none of them, or the script without its type, and what is shown may be of another page. *base*
    leads from *output* to the root of the site. Beside it whether all styles are there: what is no page has no place
    for them.
    """
    if ENTRY in output:
        output = _SCRIPT.sub(_as_module, output)
    if not used_by(output):
        return output, True
    end = _HEAD_ENDS.search(output)
    missing = _styles(output)
    for part in (output[: end.end()] if end else "", output):  # nearly always the head names all
        links = "".join(_LINK.findall(part)) if missing else ""
        missing = [style for style in missing if style not in links]
    if not missing:
        return output, True
    if end is None:
        return output, False
    added = "".join(f'<link rel="stylesheet" href="{escape(normalize_url(one, None, base))}">' for one in missing)
    if ENTRY not in output:
        added += f'<script src="{escape(normalize_url(ENTRY, None, base))}" type="module"></script>'
    return f"{output[: end.start()]}{added}{output[end.start() :]}", True


def _as_module(tag: re.Match[str]) -> str:
    if ENTRY not in tag[0] or "type=" in tag[0]:
        return tag[0]
    return f'{tag[0][: len("<script")]} type="module"{tag[0][len("<script") :]}'
