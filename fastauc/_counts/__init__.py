"""Counts at every threshold, and what follows from them."""
