"""The subcommands of ``metalworking``, one module for each subject."""
