"""A language server: what is known of a page while it is written. Needs the extra ``lsp``."""
