"""The floor of every dependency, as constraints for pip: ``python tests/floors.py [extra]...``, for ``make lowest``.

It needs nothing but Python, since it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_FLOOR = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,]+\])?\s*>=\s*(?P<version>[\w.]+)")


def floors(requirements: Iterable[str]) -> Iterator[str]:
    """Yield ``name==version`` for each requirement; raises ValueError for one that names no floor."""
    for requirement in requirements:
        match = _FLOOR.match(requirement)
        if match is None:
            raise ValueError(f"{requirement} names no floor")
        yield f"{match['name']}=={match['version']}"


def main() -> None:
    """Print the floors of the package, and of each extra that is named."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in sys.argv[1:]:
        wanted += project["optional-dependencies"][extra]
    print("\n".join(floors(wanted)))


if __name__ == "__main__":
    main()
