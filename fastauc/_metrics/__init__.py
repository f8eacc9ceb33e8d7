"""The public functions: read the arguments, count, apply one formula."""
