"""mkdocs.yml as MkDocs loads it, and what is wrong with it as a problem of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, ConfigurationError

from ...quote.diagnostics import Location, MetalworkingError, raised
from .quiet import quiet


def load(config_file: str | None, **changes: Any) -> MkDocsConfig:
    """Return the configuration in *config_file*, with *changes*. Raises MetalworkingError (``config``)."""
    try:
        with quiet(streams=True) as told:
            return load_config(config_file=config_file, **changes)
    except Abort as error:
        where = Location(Path(config_file or "mkdocs.yml").name)
        raise MetalworkingError("config", "; ".join(told) or str(error), "", where) from error
    except ConfigurationError as error:
        hint = "run this in the folder of mkdocs.yml, or name it with -f"
        raise MetalworkingError("config", str(error), hint) from error
    except Exception as error:  # a hook or a plugin that cannot be imported, a file nested without end
        where = Location(Path(config_file or "mkdocs.yml").name)
        raise MetalworkingError("config", f"cannot be loaded: {raised(error)}", "", where) from error
