"""Rows that arrive in parts: histograms with bounds, and further passes that make them exact."""
