"""Other plugins that would change a directive before it is read, and the extension listed beside the plugin."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

from ...markdown.extension import NAMES, MetalworkingExtension

_DELIMITERS = (
    "j2_block_start_string",
    "j2_block_end_string",
    "j2_variable_start_string",
    "j2_variable_end_string",
    "j2_comment_start_string",
    "j2_comment_end_string",
)


def check(config: MkDocsConfig) -> None:
    """Raise ConfigurationError for a plugin that takes the grammar of excerpts or citations for itself."""
    if "bibtex" in config.plugins:
        raise ConfigurationError(
            "metalworking: the bibtex plugin takes [@key] for itself, so citations of both would be lost; "
            "take one of the two out of plugins:, and list its works under references: in sources.yml"
        )
    macros = config.plugins.get("macros")
    if macros is None:
        return
    options = dict(macros.config)
    for name in _DELIMITERS:
        value = str(options.get(name) or "")
        if "<<" in value or ">>" in value:
            raise ConfigurationError(
                f"metalworking: the macros plugin has {name}: {value!r}, which would consume excerpt directives; "
                "choose other delimiters, such as [[ and ]]"
            )


def take_over(config: MkDocsConfig) -> dict[str, object]:
    """Take the extension out of the list: it may stand there for an engine without plugins, and the plugin brings it.

    Returns what it is configured with there; beside the plugin, whose options count, that is for the other engine.
    """
    config.markdown_extensions[:] = [
        one  # an extension of ours is left from the build before, where a plugin builds the site again
        for one in config.markdown_extensions
        if str(one) not in NAMES and not isinstance(one, MetalworkingExtension)
    ]
    found: dict[str, object] = {}
    for name in NAMES:
        found.update((config.mdx_configs or {}).pop(name, {}) or {})
    return found


_SHAPING = ("config", "pre_build", "files", "nav", "pre_page", "page_read_source", "page_markdown")
"""Events at which a plugin may make, change, move or leave out pages, or change how they are converted."""
_HARMLESS = frozenset(
    (
        *("search", "material/search", "material/info", "material/offline", "material/optimize", "material/privacy"),
        *("material/social", "material/tags", "material/typeset", "metalworking", "metalworking-book"),
        *("git-authors", "git-revision-date-localized", "glightbox", "llmstxt", "mike", "minify", "redirects", "rss"),
    )
)
"""Plugins that have such events and, by their code, leave the text of pages and the list of them alone."""


def shaping(config: MkDocsConfig) -> list[str]:
    """Return the plugins and hooks of a site that may make, change, move or leave out pages, by name."""
    names = {id(plugin): name for name, plugin in config.plugins.items()}
    found: dict[str, None] = {}
    for event in _SHAPING:
        for method in config.plugins.events[event]:
            owner = getattr(method, "__self__", None)
            name = names.get(id(owner)) or getattr(method, "__module__", "") or "a hook"
            if name not in _HARMLESS and f"material/{name}" not in _HARMLESS:
                found[name] = None
    return list(found)
