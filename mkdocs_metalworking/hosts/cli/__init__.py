"""The ``metalworking`` command; one module a subcommand."""
