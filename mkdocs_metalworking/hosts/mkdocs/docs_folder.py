"""Where docs lies, and how messages name what lies in it."""

from __future__ import annotations

import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig


def docs_folder(config: MkDocsConfig) -> Path:
    """Return docs as mkdocs.yml names it, from the real folder of that."""
    site = Path(config.config_file_path or "mkdocs.yml").absolute().parent
    return Path(os.path.normpath(site.resolve() / os.path.relpath(config.docs_dir, site)))


def docs_label(config: MkDocsConfig) -> str:
    """Return what stands before a page's path in messages: ``docs/`` when that folder is beside mkdocs.yml."""
    docs = Path(config.docs_dir).absolute()
    root = Path(config.config_file_path or "mkdocs.yml").absolute().parent
    for folder, base in ((docs, root), (docs.resolve(), root.resolve())):
        if folder.is_relative_to(base):
            docs = folder.relative_to(base)
            break
    return f"{docs.as_posix()}/"
