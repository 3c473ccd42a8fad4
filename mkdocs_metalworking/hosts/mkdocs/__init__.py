"""The MkDocs plugin."""
