"""Verified quotation of source code at pinned commits, for MkDocs and Python-Markdown."""

__version__ = "0.1.0"
