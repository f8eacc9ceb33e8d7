"""Counts at every threshold, and the formulas that use them."""
