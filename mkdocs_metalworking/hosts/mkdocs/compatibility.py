"""Other plugins that would change a directive before it is read, and the extension listed beside the plugin."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

from ...markdown.extension import NAMES

_DELIMITERS = (
    "j2_block_start_string",
    "j2_block_end_string",
    "j2_variable_start_string",
    "j2_variable_end_string",
    "j2_comment_start_string",
    "j2_comment_end_string",
)


_CITES = frozenset({"bibtex", "mkdocs-bibtex"})
"""Plugins that read ``[@key]`` as theirs."""


def check(config: MkDocsConfig, *, cites: bool = True) -> None:
    """Raise ConfigurationError when another plugin takes what is ours.

    The macros plugin may have ``<<`` or ``>>`` as a delimiter; a bibliography reads ``[@key]``, unless *cites* is off.
    """
    other = next((name for name in config.plugins if name in _CITES), None)
    if other is not None and cites:
        raise ConfigurationError(
            f"metalworking: the {other} plugin reads [@key] too, and one of the two would lose its citations; "
            "take one of them out, or write citations: false under metalworking"
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
    config.markdown_extensions[:] = [name for name in config.markdown_extensions if str(name) not in NAMES]
    found: dict[str, object] = {}
    for name in NAMES:
        found.update((config.mdx_configs or {}).pop(name, {}) or {})
    return found
