"""The MkDocs plugin."""

import logging

# MkDocs shows, and counts for --strict, what is logged below its own name; the rooms below this one do not know it.
logging.getLogger("mkdocs_metalworking").parent = logging.getLogger("mkdocs.plugins")
