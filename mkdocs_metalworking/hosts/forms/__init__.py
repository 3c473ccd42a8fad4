"""The site as a book: one page to print, PDF, EPUB, and Markdown for readers that take no HTML."""
