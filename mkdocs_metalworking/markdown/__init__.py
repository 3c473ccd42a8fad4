"""What Python-Markdown needs to show quoted code. Knows the core, not MkDocs."""
