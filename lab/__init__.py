"""The Lab: what a GPU does, measured by the same WGSL that the book's page runs in a browser."""
