"""Rows that come in parts: histograms with bounds, and passes that make them exact."""
