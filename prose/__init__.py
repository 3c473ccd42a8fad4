"""The house style as far as a machine can check it: ``python -m prose PATHS`` prints what it finds on pages."""
