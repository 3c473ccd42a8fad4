"""``python -m mkdocs_metalworking.host`` is the ``metalworking`` command."""

from .cli import main

main(prog_name="metalworking")
