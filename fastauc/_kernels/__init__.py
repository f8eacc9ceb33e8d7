"""Compiled loops: no Python objects, no checks, no errors. They import nothing but each other."""
