"""How the manual is built: ``sphinx-build -W --keep-going -n -b html docs docs/_build/html``.

Nothing is fetched: no intersphinx, no fonts, no scripts of other hosts. fastauc is installed, or
its kernels are built in place.
"""

from typing import Any

import fastauc

project = "fastauc"
author = "The fastauc developers"
copyright = "The fastauc developers, BSD-3-Clause"
release = version = fastauc.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["_build", "simulations"]
templates_path = ["_templates"]
default_role = "code"

# MyST: links to headings of other pages, definition lists, and pictures that other viewers of
# Markdown show as well.
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 3

# Types are in the text of the docstrings, where a shape can stand beside them.
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"fastauc {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# Names of 30 letters in one line.
html_theme_options = {"light_css_variables": {"sidebar-item-font-size": "80%"}}


def skip_fields(
    app: Any, what: str, name: str, obj: object, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples, which "Attributes" already describes."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def setup(app: Any) -> None:
    """Register what autodoc calls."""
    app.connect("autodoc-skip-member", skip_fields)
