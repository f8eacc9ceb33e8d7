"""The public functions and classes by name, from ``__all__`` of the packages they stand in."""

import fastauc

# Without what needs other libraries.
PACKAGES = ("metrics", "learning", "inference", "streaming", "groups", "reports")
HOMES = [fastauc, *(getattr(fastauc, package) for package in PACKAGES)]
PUBLIC = {name: getattr(home, name) for home in HOMES for name in home.__all__}
