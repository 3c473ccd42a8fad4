"""What can shape a page under ``serve``: extensions and plugins that are known, settings, and files by their state."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import is_markdown_file

from ...markdown.extension import MetalworkingExtension

_EXTENSIONS = frozenset(
    (
        *("abbr", "admonition", "attr_list", "codehilite", "def_list", "extra", "fenced_code", "footnotes"),
        *("legacy_attrs", "md_in_html", "meta", "nl2br", "sane_lists", "smarty", "tables", "toc", "wikilinks"),
        "mkdocs_metalworking",
    )
)
"""Extensions of Python-Markdown whose result depends on the text and the configuration alone; pymdownx has others."""
_PYMDOWNX = "pymdownx."
_PYMDOWNX_UNKNOWN = frozenset({"pymdownx.b64", "pymdownx.pathconverter", "pymdownx.snippets"})
PLUGINS = frozenset({"search", "material/search", "metalworking", "metalworking-cards"})
"""Plugins whose effect on a page's template, under ``serve``, depends on what is looked at."""


def is_known(extension: object, config: MkDocsConfig) -> bool:
    """Tell whether the result of a Markdown extension depends on the text, the configuration and docs/ alone."""
    if isinstance(extension, MetalworkingExtension):
        return True
    if not isinstance(extension, str):
        return False
    name = extension.removeprefix("markdown.extensions.")
    if name == "pymdownx.snippets":
        docs = Path(config.docs_dir).resolve()
        options = (config.mdx_configs or {}).get(extension, {})
        bases = options.get("base_path", ["."])
        found = [Path(str(base)).resolve() for base in (bases if isinstance(bases, list) else [bases])]
        # Snippets from docs/ are among the files that are looked at; from anywhere else they are not. What is appended
        # to every page may be a page itself, and stands in none.
        elsewhere = options.get("url_download") or options.get("auto_append")
        return not elsewhere and all(base.is_relative_to(docs) for base in found)
    return name in _EXTENSIONS or (name.startswith(_PYMDOWNX) and name not in _PYMDOWNX_UNKNOWN)


_MARKER = "-8<-"
_INCLUDE = re.compile(r'[ \t]*-+8<-+[ \t]+"([^"\n]+)"[ \t]*')


def may_hold_pages(markdown: str, docs: Path) -> bool:
    """Tell whether pymdownx.snippets may bring text of another page into *markdown*.

    A drawing or a table in the folder *docs* that is no page and includes nothing itself is among the files that are
    looked at.
    """
    including = [line for line in markdown.split("\n") if _MARKER in line]
    names = map(_INCLUDE.fullmatch, including)
    return not all(found is not None and _is_no_page(docs / found[1]) for found in names)


def _is_no_page(path: Path) -> bool:
    try:
        return not is_markdown_file(path.name) and _MARKER not in path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def settings_text(config: MkDocsConfig) -> str:
    """Return every setting that a page can depend on; what has no plain value is named by its text."""
    values = {name: value for name, value in config.items() if name not in ("plugins", "theme", "markdown_extensions")}
    values["theme"] = dict(config.theme)
    values["markdown_extensions"] = [e for e in config.markdown_extensions if isinstance(e, str)]
    # A hook stands among the plugins too, a module without settings.
    values["plugins"] = {name: dict(getattr(plugin, "config", {})) for name, plugin in config.plugins.items()}
    return json.dumps(values, default=str, sort_keys=True, skipkeys=True)


def state_of(path: Path) -> bytes:
    """Return what changes when a file is written anew."""
    try:
        stat = path.stat()
    except OSError:
        return b"gone"
    return f"{stat.st_mtime_ns}:{stat.st_size}\0".encode()
