"""Other plugins that would change a directive before it is read, found at start-up."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

_DELIMITERS = (
    "j2_block_start_string",
    "j2_block_end_string",
    "j2_variable_start_string",
    "j2_variable_end_string",
    "j2_comment_start_string",
    "j2_comment_end_string",
)


def check(config: MkDocsConfig) -> None:
    """Raise ConfigurationError when the macros plugin uses ``<<`` or ``>>`` as a delimiter."""
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
