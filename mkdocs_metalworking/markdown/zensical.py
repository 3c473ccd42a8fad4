"""What Zensical tells an extension: the page and the configuration, through a preprocessor named rendering_context.

Zensical strips the front matter and never names the file, so both are read again from it: line numbers in messages
are then those of the file. https://github.com/zensical/zensical
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..glossary.callout import PageMeta
from ..quote.diagnostics import MetalworkingError
from ..quote.repo import named_by
from .page import PageContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown import Markdown

    from ..glossary.asked import Asked

_NAME = "rendering_context"


def rendered_page(md: Markdown, asked: Callable[[Path], Asked]) -> tuple[PageContext, Path, str] | None:
    """Return the page that is being rendered, the folder of the configuration and the name of the site's repository.

    The name is that of ``repo_url``, "" without one; None under any other host. *asked* gives the wishes of the site
    whose configuration lies in a folder.
    """
    if _NAME not in md.preprocessors:
        return None
    context = md.preprocessors[_NAME]
    page, config = getattr(context, "page", None), getattr(context, "config", None)
    path = getattr(page, "path", None)
    if not path or not isinstance(config, dict) or "docs_dir" not in config:
        return None
    root = Path(config.get("root_dir") or ".").resolve()
    file = root / str(config["docs_dir"]) / path
    try:
        source = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None  # a page that is made by the host has no file
    label = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(path)
    found = PageContext(path=label, uri=str(path), source=source, meta=PageMeta())
    try:
        found.meta, problems = asked(root).front_matter(source, label)
    except MetalworkingError as problem:
        found.diagnostics.add(problem.diagnostic)
    else:
        found.diagnostics.extend(problems)
    return found, root, named_by(str(config.get("repo_url") or ""))
