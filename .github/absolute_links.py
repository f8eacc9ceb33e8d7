"""Make README's links absolute, and give the project its addresses, before a distribution is built.

``python .github/absolute_links.py https://host/owner/name v0.1.0`` changes README.md and
pyproject.toml in the current folder. A page of a package index has no files beside it that a
relative link could lead to. The address is that of the repository in which the workflow runs.
"""

import re
import sys
from pathlib import Path


def main(repository: str, version: str) -> None:
    """Rewrite both files."""
    readme, project = Path("README.md"), Path("pyproject.toml")
    pages, files = f"{repository}/blob/{version}/", f"{repository}/raw/{version}/"
    text = readme.read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#)", f"]({pages}", text)
    text = re.sub(r'src="(?!https?:)', f'src="{files}', text)
    readme.write_text(text, encoding="utf-8")
    addresses = {
        "Source": repository,
        "Documentation": f"{pages}docs/index.md",
        "Changelog": f"{pages}CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    lines = [f'{name} = "{address}"\n' for name, address in addresses.items()]
    with project.open("a", encoding="utf-8") as file:
        file.write("\n[project.urls]\n" + "".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
