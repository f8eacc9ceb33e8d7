"""AUC by group of rows, and AUC of many columns."""
