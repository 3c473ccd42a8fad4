"""``python -m mkdocs_metalworking`` is the ``metalworking`` command."""

from .hosts.cli.main import main

main(prog_name="metalworking")
