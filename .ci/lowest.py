"""Print the lowest versions that pyproject.toml promises to run and be tested with, for pip -c."""

import re
import tomllib
from pathlib import Path

with (Path(__file__).parents[1] / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
needed, extras = project["dependencies"], project["optional-dependencies"]
for extra in ("cli", "dask", "excel", "plot", "test"):
    needed += extras[extra]
for requirement in needed:
    # Not of the package itself, with its extras.
    if found := re.match(r"([\w-]+)(?:\[[\w,-]+\])?>=([\w.]+)", requirement):
        print("{}=={}".format(*found.groups()))
# matplotlib below 3.10.8 warns, when it is imported, of what later versions say is deprecated.
print("pyparsing<3.3")
