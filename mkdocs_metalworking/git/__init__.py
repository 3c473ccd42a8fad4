"""Running git within bounds, and what git says of a repository: objects, commits, drift."""
