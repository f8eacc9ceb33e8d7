"""The area within groups of rows, and of many columns."""
