"""A folder for the time being, which is gone afterwards."""

from __future__ import annotations

import shutil
import tempfile


class Scratch(tempfile.TemporaryDirectory[str]):
    """A temporary folder that is taken away whole, also where Ctrl-C strikes while it is being taken away."""

    def __init__(self) -> None:
        super().__init__(prefix="metalworking-")

    def cleanup(self) -> None:
        """Take the folder away; may be called twice."""
        try:
            super().cleanup()
        finally:
            shutil.rmtree(self.name, ignore_errors=True)
