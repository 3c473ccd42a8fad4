"""The ways to get the bytes of a locked file, one module each."""
