"""What turns a site into pages: MkDocs, the command line and the other forms of the book."""
