"""A folder for the time being, which is gone afterwards."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .interrupts import held_back


class Scratch(tempfile.TemporaryDirectory[str]):
    """A temporary folder that is taken away whole, also where a signal strikes as it is made or being taken away."""

    def __init__(self, folder: Path | None = None, *, prefix: str = "metalworking-") -> None:
        """Make one in *folder*, or where temporary folders lie. Raises OSError."""
        try:
            with held_back():
                super().__init__(prefix=prefix, dir=folder)
        except (KeyboardInterrupt, SystemExit):
            self.cleanup()
            raise

    def cleanup(self) -> None:
        """Take the folder away; may be called twice."""
        with held_back():
            try:
                super().cleanup()
            finally:
                shutil.rmtree(self.name, ignore_errors=True)
