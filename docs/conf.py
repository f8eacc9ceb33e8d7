"""How the manual is built: ``sphinx-build -W --keep-going -n -b html docs docs/_build/html``.

Nothing is fetched: no intersphinx, no fonts, no scripts of other hosts. fastauc is installed, or
its kernels are built in place.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import fastauc

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
from draw_images import PICTURES, svg_of  # noqa: E402

project = "fastauc"
author = "The fastauc developers"
copyright = "The fastauc developers, BSD-3-Clause"
release = version = fastauc.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
extensions += ["sphinx_copybutton"]
exclude_patterns = ["_build", "simulations"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["manual.css"]
default_role = "code"

# MyST: links to headings of other pages, definition lists, and pictures that other viewers of
# Markdown show as well.
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 3

# Types are in the text of the docstrings, where a shape can stand beside them.
autodoc_typehints = "none"
numpydoc_show_class_members = False

# The button copies commands without their prompts and without the output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

html_theme = "furo"
html_title = f"fastauc {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# Names of 30 letters in one line.
html_theme_options = {"light_css_variables": {"sidebar-item-font-size": "80%"}}


# The reference lists names, which any viewer of Markdown shows; here each list becomes a table that
# links to a page for each name.
_LIST = re.compile(r"(?:^- `\w+`: .*\n)+", re.MULTILINE)


def with_tables(reference: str, folder: str = "generated") -> str:
    """Return the text of the reference with directives in place of its lists of names."""

    def table(found: re.Match[str]) -> str:
        package = re.findall(r"^## (fastauc[\w.]*)$", reference[: found.start()], re.MULTILINE)[-1]
        lines = [f".. currentmodule:: {package}", "", ".. autosummary::"]
        lines += [f"   :toctree: {folder}", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in re.findall(r"^- `(\w+)`", found[0], re.MULTILINE)]
        return "\n".join(["```{eval-rst}", *lines, "```", ""])

    return _LIST.sub(table, reference)


# autosummary makes its pages before Sphinx reads any other: it needs a file with the directives.
_directives = Path(tempfile.mkdtemp()) / "reference.md"
_directives.write_text(
    with_tables((DOCS / "reference.md").read_text("utf-8"), str(DOCS / "generated")), "utf-8"
)
autosummary_generate = [str(_directives)]


def read_reference(app: Any, page: str, source: list[str]) -> None:
    """Put tables in place of the lists of names."""
    if page == "reference":
        source[0] = with_tables(source[0])


def draw_pictures(app: Any, error: Exception | None) -> None:
    """Draw the pictures of displays anew, in the place of those that are committed."""
    for name in PICTURES if error is None and app.builder.name == "html" else ():
        (Path(app.outdir) / "_images" / f"{name}.svg").write_text(svg_of(name), "utf-8")


def skip_fields(
    app: Any, what: str, name: str, obj: object, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples, which "Attributes" already describes."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def setup(app: Any) -> None:
    """Register what autodoc calls."""
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("source-read", read_reference)
    app.connect("build-finished", draw_pictures)
